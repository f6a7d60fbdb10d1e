/*
 * The least that a round trip by TCP takes on this machine: two processes that send each other the same bytes.
 *
 *   ping-pong server BYTES        prints its port, serves one connection
 *   ping-pong client BYTES PORT   for each number in a line of its input makes so many round trips, prints their median
 *                                 in nanoseconds
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST_BYTES = 65536 };

static char bytes[MOST_BYTES];

static void check(long result, const char *what) {
    if (result < 0) {
        perror(what);
        exit(1);
    }
}

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static int receive(int connection, int count) {
    int at = 0;
    while (at < count) {
        long received = recv(connection, bytes + at, count - at, 0);
        check(received, "recv");
        if (received == 0) {
            return 0;
        }
        at += (int)received;
    }
    return 1;
}

static void send_all(int connection, int count) {
    check(send(connection, bytes, count, 0) - count, "send");
}

static void send_at_once(int connection) {
    int one = 1;
    check(setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one), "TCP_NODELAY");
}

static int compare(const void *first, const void *second) {
    long one = *(const long *)first;
    long other = *(const long *)second;
    return one < other ? -1 : one > other;
}

static long median(int connection, int count, int rounds) {
    long *nanos = malloc(rounds * sizeof *nanos);
    if (!nanos) {
        exit(1);
    }
    for (int round = 0; round < rounds; round++) {
        long began = now();
        send_all(connection, count);
        if (!receive(connection, count)) {
            exit(1);
        }
        nanos[round] = now() - began;
    }
    qsort(nanos, rounds, sizeof *nanos, compare);
    long result = nanos[rounds / 2];
    free(nanos);
    return result;
}

int main(int arguments, char **argument) {
    int count = arguments > 2 ? atoi(argument[2]) : 0;
    if (count < 1 || count > MOST_BYTES) {
        fprintf(stderr, "ping-pong server BYTES | client BYTES PORT\n");
        return 1;
    }
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int own = socket(AF_INET, SOCK_STREAM, 0);
    check(own, "socket");
    if (!strcmp(argument[1], "server")) {
        check(bind(own, (struct sockaddr *)&address, length), "bind");
        check(listen(own, 1), "listen");
        check(getsockname(own, (struct sockaddr *)&address, &length), "getsockname");
        printf("%d\n", ntohs(address.sin_port));
        fflush(stdout);
        int connection = accept(own, NULL, NULL);
        check(connection, "accept");
        send_at_once(connection);
        while (receive(connection, count)) {
            send_all(connection, count);
        }
        return 0;
    }
    address.sin_port = htons(arguments > 3 ? atoi(argument[3]) : 0);
    check(connect(own, (struct sockaddr *)&address, length), "connect");
    send_at_once(own);
    for (int rounds; scanf("%d", &rounds) == 1;) {
        printf("%ld\n", median(own, count, rounds));
        fflush(stdout);
    }
    return 0;
}
