/* In place of the CUDA samples' header of this name: a timer that a program of the suite prints. */
#ifndef SUITE_HELPER_TIMER_H
#define SUITE_HELPER_TIMER_H

typedef float StopWatchInterface;
static inline void sdkCreateTimer(StopWatchInterface **t) { *t = new StopWatchInterface(0); }
static inline void sdkStartTimer(StopWatchInterface **) {}
static inline void sdkStopTimer(StopWatchInterface **) {}
static inline float sdkGetAverageTimerValue(StopWatchInterface **t) { return **t; }
static inline void sdkDeleteTimer(StopWatchInterface **t) { delete *t; }
#endif
