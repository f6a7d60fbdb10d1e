/*
 * Compare-and-swaps of one word through an RDMA device, one after the other: post, poll until it has completed, look at the result. A library,
 * so that the process that does the same in Java does it in turns with this.
 *
 * Two queue pairs of this process are connected to each other over the first device, by its first address of IPv4.
 */
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void check(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "failed: %s\n", what);
        exit(1);
    }
}

static int index_of_ipv4(struct ibv_context *context, union ibv_gid *gid) {
    static const uint8_t prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    for (int index = 0; index < 256 && ibv_query_gid(context, 1, index, gid) == 0; index++) {
        if (memcmp(gid->raw, prefix, sizeof prefix) == 0) {
            return index;
        }
    }
    check(0, "no address of IPv4 in the table of port 1");
    return -1;
}

static void connect_to(struct ibv_qp *own, struct ibv_qp *peer, union ibv_gid gid, int index) {
    struct ibv_qp_attr init = {.qp_state = IBV_QPS_INIT, .port_num = 1,
        .qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC};
    check(ibv_modify_qp(own, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0, "init");
    struct ibv_qp_attr receive = {.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = peer->qp_num,
        .max_dest_rd_atomic = 16, .min_rnr_timer = 12,
        .ah_attr = {.is_global = 1, .port_num = 1, .grh = {.dgid = gid, .sgid_index = index, .hop_limit = 64}}};
    check(ibv_modify_qp(own, &receive, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN
            | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) == 0, "ready to receive");
    struct ibv_qp_attr send = {.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7,
        .max_rd_atomic = 16};
    check(ibv_modify_qp(own, &send, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN
            | IBV_QP_MAX_QP_RD_ATOMIC) == 0, "ready to send");
}

static struct ibv_qp *queue_pair(struct ibv_pd *domain, struct ibv_cq *completions) {
    struct ibv_qp_init_attr wanted = {.send_cq = completions, .recv_cq = completions, .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = 64, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1}};
    struct ibv_qp *made = ibv_create_qp(domain, &wanted);
    check(made != NULL, "queue pair");
    return made;
}

static struct ibv_cq *completions;
static struct ibv_qp *own;
static struct ibv_mr *region;
static uint64_t *words; /* the first takes the old value, the one a cache line or more behind is swapped */

/* To be called once, before the rest. */
void prepare(void) {
    struct ibv_device **devices = ibv_get_device_list(NULL);
    check(devices != NULL && devices[0] != NULL, "no device");
    struct ibv_context *context = ibv_open_device(devices[0]);
    check(context != NULL, "device");
    struct ibv_pd *domain = ibv_alloc_pd(context);
    completions = ibv_create_cq(context, 64, NULL, NULL, 0);
    check(domain != NULL && completions != NULL, "protection domain, completion queue");
    words = aligned_alloc(4096, 4096);
    check(words != NULL, "memory");
    memset(words, 0, 4096);
    region = ibv_reg_mr(domain, words, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
    check(region != NULL, "memory region");
    own = queue_pair(domain, completions);
    struct ibv_qp *peer = queue_pair(domain, completions);
    union ibv_gid gid;
    int index = index_of_ipv4(context, &gid);
    connect_to(own, peer, gid, index);
    connect_to(peer, own, gid, index);
}

/* Swaps so many values, beginning with the one that is there; returns the nanoseconds that it took. */
long swap(long first, long count) {
    volatile uint64_t *result = words;
    uint64_t word = (uint64_t) (uintptr_t) (words + 64);
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (uint64_t expected = first; expected < (uint64_t) (first + count); expected++) {
        struct ibv_sge element = {.addr = (uint64_t) (uintptr_t) words, .length = 8, .lkey = region->lkey};
        struct ibv_send_wr request = {.wr_id = 1, .sg_list = &element, .num_sge = 1,
            .opcode = IBV_WR_ATOMIC_CMP_AND_SWP, .send_flags = IBV_SEND_SIGNALED,
            .wr.atomic = {.remote_addr = word, .compare_add = expected, .swap = expected + 1, .rkey = region->rkey}};
        struct ibv_send_wr *rejected;
        check(ibv_post_send(own, &request, &rejected) == 0, "post");
        struct ibv_wc completion;
        int found;
        while ((found = ibv_poll_cq(completions, 1, &completion)) == 0) {
        }
        check(found == 1 && completion.status == IBV_WC_SUCCESS, "completion");
        check(*result == expected, "old value");
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (end.tv_sec - start.tv_sec) * 1000000000L + (end.tv_nsec - start.tv_nsec);
}
