#include "runtime-model/sweep/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_SECONDS 0.2 /* between two looks at a stop flag */

/* In the child, between fork() and exec: only what a signal handler may call. */
static void become(char *const *argv, const struct process_io *io, pid_t parent, int report)
{
	const char *const path[2] = { io->out ? io->out : "/dev/null", io->err ? io->err : "/dev/null" };
	sigset_t none;
	int in = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, io->last ? io->last : SIGKILL);
	if (getppid() != parent)
		_exit(126);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(in, STDIN_FILENO);
	for (int i = 0; i < 2; i++) {
		int fd = strcmp(path[i], "-") == 0 ? dup(STDERR_FILENO)
						   : open(path[i], O_WRONLY | O_CREAT | O_APPEND, 0666);

		if (fd < 0)
			goto failed;
		dup2(fd, STDOUT_FILENO + i);
		close(fd);
	}
	if (io->folder && *io->folder && chdir(io->folder) != 0)
		goto failed;
	execvp(argv[0], argv);
failed:
	in = errno;
	if (write(report, &in, sizeof in) < 0)
		_exit(125);
	_exit(127);
}

pid_t process_start(char *const *argv, const struct process_io *io, struct diag *d)
{
	const pid_t self = getpid();
	int pipes[2], why = 0;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC) != 0) {
		diag_error_plain(d, argv[0], "cannot start: %s", strerror(errno));
		return -1;
	}
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		become(argv, io, self, pipes[1]);
	why = errno;
	close(pipes[1]);
	/* nothing comes if it has become another program */
	if (pid > 0 && read(pipes[0], &why, sizeof why) == sizeof why) {
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(pipes[0]);
	if (pid < 0)
		diag_error_plain(d, argv[0], "cannot start: %s", strerror(why));
	return pid;
}

pid_t process_next(double seconds, int *status)
{
	struct timespec t = { (time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9) };
	sigset_t child, before;
	pid_t pid;

	/* Blocked from before the look at what has ended: one that ends meanwhile ends the wait. */
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before);
	pid = waitpid(-1, status, WNOHANG);
	if (pid == 0 && sigtimedwait(&child, NULL, &t) == SIGCHLD)
		pid = waitpid(-1, status, WNOHANG);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid > 0 ? pid : 0;
}

int process_run(char *const *argv, const char *folder, char **out, const volatile int *stop, struct arena *a,
		struct diag *d)
{
	struct process_io io = { .out = "-", .err = "-", .folder = folder };
	int fd = -1, status;
	pid_t pid;

	if (out) {
		fd = memfd_create("regloom", 0);
		if (fd < 0) {
			diag_error_plain(d, argv[0], "cannot start: %s", strerror(errno));
			return -1;
		}
		io.out = io.err = arena_printf(a, "/proc/self/fd/%d", fd);
	}
	pid = process_start(argv, &io, d);
	while (pid > 0 && process_next(LOOK_SECONDS, &status) != pid)
		if (stop && *stop)
			kill(pid, SIGTERM);
	if (out) {
		size_t n;

		*out = pid > 0 ? process_slurp(io.out, &n, a) : NULL;
		*out = *out ? *out : arena_printf(a, "%s", "");
		close(fd);
	}
	return pid > 0 ? status : -1;
}

const char *process_program(const char *name, struct arena *a)
{
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	char *slash;

	if (n <= 0)
		return name;
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	return name ? arena_printf(a, "%.*s%s", (int)(slash + 1 - exe), exe, name) : arena_printf(a, "%s", exe);
}

char *process_slurp(const char *path, size_t *n, struct arena *a)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t r = 0;
	char *text;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) != 0 || st.st_size > 1 << 30) {
		close(fd);
		errno = EFBIG;
		return NULL;
	}
	text = new_array(a, char, (size_t)st.st_size + 1);
	*n = 0;
	while (*n < (size_t)st.st_size &&
	       ((r = read(fd, text + *n, (size_t)st.st_size - *n)) > 0 || (r < 0 && errno == EINTR)))
		*n += r > 0 ? (size_t)r : 0;
	close(fd);
	return r < 0 ? NULL : text;
}
