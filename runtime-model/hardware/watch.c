/* What ends a launch that does not end. Nothing stops a kernel on a GPU but the end of its process. */
#include "runtime-model/hardware/hardware.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static char late[256]; /* said when the time is over */

static void give_up(int signal)
{
	(void)signal;
	if (write(STDERR_FILENO, late, strlen(late)) < 0)
		_exit(1);
	_exit(1);
}

void hardware_watch(const char *kernel, unsigned seconds)
{
	struct sigaction act = { .sa_handler = give_up };

	snprintf(late, sizeof late,
		 "regloom-gpu: error: kernel %.100s runs longer than %u seconds: it is given up, and nothing is "
		 "written (--seconds N waits longer)\n",
		 kernel, seconds);
	sigaction(SIGALRM, &act, NULL);
	alarm(seconds);
}
