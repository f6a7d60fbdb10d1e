/*
 * A network between hosts, for tests. The hosts are network namespaces of this machine. Packets are late, get lost and
 * overtake each other as the test says, and the network can be cut, also in one direction only. It consists of a TUN
 * device for each host and of queues, since many kernels have no netem.
 *
 *   network HOSTS
 *
 * It prints "PID FD FD ...": /proc/PID/fd/FD is the namespace of a host. Host n has the address 10.98.0.(n + 1). Each
 * line of its input is a command, which is answered by the line "ok":
 *
 *   delay MICROSECONDS | lose PER_10000 | reorder PER_10000 | cut FROM TO | cut FROM TO FIRST_PORT LAST_PORT | heal
 *
 * It ends with its input. The namespaces end with it and with the processes in them.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_HOSTS = 8,
    PLACES = 8192,
    PACKET_BYTES = 1600,
    DESTINATION = 19, /* the last byte of the destination in the header of a packet */
    LAST_PORT = 65535,
    OVERTAKEN_NANOS = 2000000
};

struct packet {
    long due;
    int from;
    int bytes;
    char data[PACKET_BYTES];
};

/* The packets on their way to a host, a ring: what is due first comes first. */
struct way {
    struct packet *packets[PLACES];
    unsigned first;
    unsigned end;
};

static struct way ways[MOST_HOSTS];
static int devices[MOST_HOSTS];
static int hosts;

/* What is cut from one host to another: packets from or to these ports, or none. */
struct ports {
    int first;
    int last;
};

static struct ports cut[MOST_HOSTS][MOST_HOSTS];
static long delay_nanos;
static int lost;
static int reordered;

static void check(int result, const char *what) {
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

static void set_address(int control, struct ifreq *interface, unsigned long command, const char *address) {
    struct sockaddr_in *in = (struct sockaddr_in *)&interface->ifr_addr;
    memset(in, 0, sizeof *in);
    in->sin_family = AF_INET;
    inet_pton(AF_INET, address, &in->sin_addr);
    check(ioctl(control, command, interface), address);
}

static void set_up(const char *name, const char *address) {
    int control = socket(AF_INET, SOCK_DGRAM, 0);
    check(control, "socket");
    struct ifreq interface = {0};
    snprintf(interface.ifr_name, IFNAMSIZ, "%s", name);
    if (address) {
        set_address(control, &interface, SIOCSIFADDR, address);
        set_address(control, &interface, SIOCSIFNETMASK, "255.255.255.0");
    }
    check(ioctl(control, SIOCGIFFLAGS, &interface), name);
    interface.ifr_flags |= IFF_UP | IFF_RUNNING;
    check(ioctl(control, SIOCSIFFLAGS, &interface), name);
    close(control);
}

/* Makes the namespace of a host, and returns a descriptor of it. */
static int make_host(int host, int home) {
    check(unshare(CLONE_NEWNET), "a network namespace");
    int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    check(device, "/dev/net/tun");
    struct ifreq interface = {0};
    strcpy(interface.ifr_name, "net0");
    interface.ifr_flags = IFF_TUN | IFF_NO_PI;
    check(ioctl(device, TUNSETIFF, &interface), "a TUN device");
    char address[32];
    snprintf(address, sizeof address, "10.98.0.%d", host + 1);
    set_up("net0", address);
    set_up("lo", NULL);
    int space = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    check(space, "/proc/self/ns/net");
    check(setns(home, CLONE_NEWNET), "setns");
    devices[host] = device;
    return space;
}

static int happens(int per_10000) {
    return rand() % 10000 < per_10000;
}

static int is_between(const struct ports *ports, const unsigned char *port) {
    int number = port[0] << 8 | port[1];
    return number >= ports->first && number <= ports->last;
}

static int is_cut(int from, int to, const char *data, int bytes) {
    const struct ports *ports = &cut[from][to];
    const unsigned char *header = (const unsigned char *)data;
    int header_bytes = 4 * (header[0] & 0x0F);
    if (!ports->last || ports->last == LAST_PORT || bytes < header_bytes + 4) {
        return ports->last;
    }
    return is_between(ports, header + header_bytes) || is_between(ports, header + header_bytes + 2);
}

/* Takes what a host has sent. */
static void take(int from) {
    for (;;) {
        struct packet *packet = malloc(sizeof *packet);
        if (!packet) {
            exit(1);
        }
        packet->bytes = (int)read(devices[from], packet->data, PACKET_BYTES);
        int to = packet->bytes > DESTINATION ? (unsigned char)packet->data[DESTINATION] - 1 : -1;
        int none = packet->bytes <= 0;
        if (none || (packet->data[0] & 0xF0) != 0x40 || to < 0 || to >= hosts
                || is_cut(from, to, packet->data, packet->bytes) || happens(lost)
                || ways[to].end - ways[to].first == PLACES) {
            free(packet);
            if (none) {
                return;
            }
            continue;
        }
        packet->from = from;
        packet->due = now() + delay_nanos + (happens(reordered) ? OVERTAKEN_NANOS : 0);
        struct way *way = &ways[to];
        unsigned at = way->end++;
        while (at != way->first && way->packets[(at - 1) % PLACES]->due > packet->due) {
            way->packets[at % PLACES] = way->packets[(at - 1) % PLACES];
            at--;
        }
        way->packets[at % PLACES] = packet;
    }
}

/* Delivers what is due, and returns when the next packet is, or -1. */
static long deliver(int to) {
    struct way *way = &ways[to];
    while (way->first != way->end) {
        struct packet *packet = way->packets[way->first % PLACES];
        if (packet->due > now()) {
            return packet->due;
        }
        way->first++;
        if (!is_cut(packet->from, to, packet->data, packet->bytes)
                && write(devices[to], packet->data, packet->bytes) < 0) {
            /* As a router does whose queue is full. */
        }
        free(packet);
    }
    return -1;
}

static void obey(void) {
    char line[128];
    int from;
    int to;
    long number;
    struct ports ports = {0, LAST_PORT};
    if (!fgets(line, sizeof line, stdin)) {
        exit(0);
    }
    if (sscanf(line, "delay %ld", &number) == 1) {
        delay_nanos = number * 1000;
    } else if (sscanf(line, "lose %ld", &number) == 1) {
        lost = (int)number;
    } else if (sscanf(line, "reorder %ld", &number) == 1) {
        reordered = (int)number;
    } else if (sscanf(line, "cut %d %d %d %d", &from, &to, &ports.first, &ports.last) >= 2 && from >= 0 && from < hosts && to >= 0 && to < hosts) {
        cut[from][to] = ports;
    } else if (!strcmp(line, "heal\n")) {
        memset(cut, 0, sizeof cut);
    } else {
        fprintf(stderr, "no such command: %s", line);
        exit(1);
    }
    printf("ok\n");
    fflush(stdout);
}

int main(int count, char **arguments) {
    hosts = count == 2 ? atoi(arguments[1]) : 0;
    if (hosts < 1 || hosts > MOST_HOSTS) {
        fprintf(stderr, "network HOSTS, from 1 to %d\n", MOST_HOSTS);
        return 1;
    }
    setvbuf(stdin, NULL, _IONBF, 0);
    srand(7);
    int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    check(home, "/proc/self/ns/net");
    printf("%d", getpid());
    for (int host = 0; host < hosts; host++) {
        printf(" %d", make_host(host, home));
    }
    printf("\n");
    fflush(stdout);
    for (;;) {
        struct pollfd polled[MOST_HOSTS + 1] = {{STDIN_FILENO, POLLIN, 0}};
        long next = -1;
        for (int host = 0; host < hosts; host++) {
            take(host);
            polled[host + 1] = (struct pollfd){devices[host], POLLIN, 0};
        }
        for (int host = 0; host < hosts; host++) {
            long due = deliver(host);
            next = due >= 0 && (next < 0 || due < next) ? due : next;
        }
        long left = next < 0 ? 0 : next - now();
        struct timespec wait = {0, left < 0 ? 0 : left > 100000000 ? 100000000 : left};
        check(ppoll(polled, hosts + 1, next < 0 ? NULL : &wait, NULL), "ppoll");
        if (polled[0].revents) {
            obey();
        }
    }
}
