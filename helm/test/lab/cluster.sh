#!/usr/bin/env bash
# Starts the control plane, and one node.sh for each node. lab.sh runs this as the first process of its namespaces.
#
#   cluster.sh COMMAND [IMAGE.tar]...
#
#   172.30.0.1 control plane, DNS ── bridge lab0 ──┬── node1 172.30.0.11 ── pods 10.244.1.0/24
#                                                  └── node2 172.30.0.12 ── pods 10.244.2.0/24
#
# What pods of two nodes send each other is forwarded here, so that iptables here can cut them off.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
command=$1
shift
source "$here/processes"
export LAB_ADDRESS=172.30.0.1
mount --make-rprivate /
# No overlay lies on an overlay.
if [ "$(stat -f -c %T "$LAB_STATE")" = overlayfs ]; then
    logs=$(mktemp -d)
    mount --bind "$LAB_STATE/log" "$logs"
    mount -t tmpfs tmpfs "$LAB_STATE"
    mkdir "$LAB_STATE/log"
    mount --move "$logs" "$LAB_STATE/log"
    rmdir "$logs"
fi
mkdir -p "$LAB_STATE"/{bin,pki,etcd,tmp}
# What the command leaves there goes with the cluster.
export HOME=$LAB_STATE TMPDIR=$LAB_STATE/tmp
export PATH=$LAB_STATE/bin:$PATH

# The kubelet demands certain settings of the kernel. It reads these, and the machine's own stay as they are.
number=0
for setting in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1 kernel/keys/root_maxkeys=1000000 \
    kernel/keys/root_maxbytes=25000000; do
    number=$((number + 1))
    echo "${setting#*=}" >"$LAB_STATE/setting$number"
    mount --bind "$LAB_STATE/setting$number" "/proc/sys/${setting%=*}"
done

ip link set lo up
if [ "$LAB_NETWORK" = host ]; then
    ip addr add $LAB_ADDRESS/32 dev lo
else
    ip link add lab0 type bridge
    ip addr add $LAB_ADDRESS/24 dev lab0
    ip link set lab0 up
    ip route add default dev lab0
    sysctl -qw net.ipv4.ip_forward=1
fi
if ! mountpoint -q /sys/fs/cgroup; then # a machine without an init that does it
    mount -t tmpfs cgroup /sys/fs/cgroup
    for controller in cpu cpuacct cpuset memory devices freezer blkio pids; do
        mkdir /sys/fs/cgroup/$controller
        mount -t cgroup -o $controller cgroup /sys/fs/cgroup/$controller
    done
    mkdir /sys/fs/cgroup/systemd
    mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
fi

# Who may do what: a token for each.
pki=$LAB_STATE/pki
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=kube-apiserver -keyout "$pki/api.key" -out "$pki/api.crt" -addext \
    "subjectAltName=IP:$LAB_ADDRESS,IP:127.0.0.1,IP:10.96.0.1,DNS:kubernetes,DNS:kubernetes.default.svc" 2>/dev/null
openssl genrsa -out "$pki/accounts.key" 2048 2>/dev/null
openssl rsa -in "$pki/accounts.key" -pubout -out "$pki/accounts.pub" 2>/dev/null
account() { # NAME USER GROUPS
    echo "$1-token,$2,$1,\"$3\"" >>"$pki/tokens.csv"
    cat >"$pki/$1.kubeconfig" <<YAML
apiVersion: v1
kind: Config
current-context: lab
clusters: [{name: lab, cluster: {server: "https://$LAB_ADDRESS:6443", certificate-authority: $pki/api.crt}}]
users: [{name: $1, user: {token: $1-token}}]
contexts: [{name: lab, context: {cluster: lab, user: $1, namespace: default}}]
YAML
}
account admin admin system:masters
account controllers system:kube-controller-manager ""
account scheduler system:kube-scheduler ""
account proxy system:kube-proxy ""
for ((each = 1; each <= LAB_NODES; each++)); do account node$each system:node:node$each system:nodes; done
export KUBECONFIG=$pki/admin.kubeconfig

start etcd etcd --data-dir "$LAB_STATE/etcd" --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
    --listen-peer-urls http://127.0.0.1:2380 --unsafe-no-fsync --log-level warn
start apiserver kube-apiserver --etcd-servers=http://127.0.0.1:2379 --bind-address=0.0.0.0 --secure-port=6443 \
    --advertise-address=$LAB_ADDRESS --tls-cert-file="$pki/api.crt" --tls-private-key-file="$pki/api.key" \
    --token-auth-file="$pki/tokens.csv" --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction \
    --allow-privileged=true --service-cluster-ip-range=10.96.0.0/16 --service-account-key-file="$pki/accounts.pub" \
    --service-account-signing-key-file="$pki/accounts.key" --service-account-issuer=https://kubernetes.default.svc \
    --kubelet-preferred-address-types=InternalIP
await 120 "API server" kubectl get --raw /readyz
await 60 "default namespace" kubectl get namespace default

if [ "$LAB_NODES" -gt 0 ]; then
    start controllers kube-controller-manager --kubeconfig="$pki/controllers.kubeconfig" --leader-elect=false \
        --node-monitor-grace-period=$((40 * ${K8S_LAB_PATIENCE:-1}))s \
        --service-account-private-key-file="$pki/accounts.key" --root-ca-file="$pki/api.crt" --use-service-account-credentials=false
    start scheduler kube-scheduler --kubeconfig="$pki/scheduler.kubeconfig" --leader-elect=false
    kubectl create clusterrolebinding lab-controllers --clusterrole=cluster-admin --user=system:kube-controller-manager >/dev/null

    # Names of services, and of the pods of headless ones, from the endpoints as they change.
    : >"$LAB_STATE/hosts"
    start dns dnsmasq --keep-in-foreground --log-facility=- --no-resolv --no-hosts --addn-hosts="$LAB_STATE/hosts" --local=/#/ \
        --bind-interfaces --listen-address=$LAB_ADDRESS --local-ttl=1 --user=root --pid-file= --cache-size=0
    names() {
        kubectl get services -A -o json | jq -r '.items[] | select(.spec.clusterIP != "None") |
            "\(.spec.clusterIP) \(.metadata.name).\(.metadata.namespace).svc.cluster.local"'
        # What a headless service leads to: of those with a cluster's address only that is given.
        kubectl get endpoints -A -o json | jq -r '.items[] | select(.metadata.labels["service.kubernetes.io/headless"] != null) |
            "\(.metadata.name).\(.metadata.namespace).svc.cluster.local" as $service | .subsets[]? | .addresses[]? |
            "\(.ip) \($service) \(if .hostname then .hostname + "." + $service else "" end)"'
    }
    follow() {
        # The API server ends each watch after a while.
        while :; do kubectl get endpoints -A --watch -o name || sleep 1; done | while read -r _; do
            while read -r -t 0.1 _; do :; done
            names >"$LAB_STATE/hosts.new" && mv "$LAB_STATE/hosts.new" "$LAB_STATE/hosts" && kill -HUP "$dns_process"
        done
    }
    follow 2>"$LAB_STATE/log/names.log" &

    cat >"$LAB_STATE/bin/on" <<'SCRIPT'
#!/usr/bin/env bash
# on NODE COMMAND...
export CONTAINERD_ADDRESS=/run/containerd/containerd.sock CONTAINERD_NAMESPACE=k8s.io
process=$(cat "$LAB_STATE/$1/process")
shift
exec nsenter --target "$process" --mount --net --ipc --uts "$@"
SCRIPT
    chmod +x "$LAB_STATE/bin/on"
    for ((each = 1; each <= LAB_NODES; each++)); do
        mkdir -p "$LAB_STATE/node$each"
        network=(--net)
        [ "$LAB_NETWORK" != host ] || network=()
        start node$each unshare --mount ${network[@]+"${network[@]}"} --ipc --uts bash "$here/node.sh" $each "$@"
        process=node${each}_process
        echo "${!process}" >"$LAB_STATE/node$each/process"
        [ "$LAB_NETWORK" != host ] || continue
        # Before it is in its own network the link would end in this one.
        await 10 "network of node$each" sh -c "[ \"\$(readlink /proc/${!process}/ns/net)\" != \"$(readlink /proc/self/ns/net)\" ]"
        ip link add link$each type veth peer name eth0 netns "${!process}"
        ip link set link$each master lab0 up
        ip route add 10.244.$each.0/24 via 172.30.0.1$each
    done
    # A node passes on what is sent to a service.
    [ "$LAB_NETWORK" = host ] || ip route add 10.96.0.0/16 via 172.30.0.11
    for ((each = 1; each <= LAB_NODES; each++)); do
        await 120 "node$each" kubectl wait --for=condition=Ready --timeout=1s "node/node$each"
        await 60 "images of node$each" test -e "$LAB_STATE/node$each/imported"
        [ -z "${K8S_LAB_RESOURCE:-}" ] || await 60 "$K8S_LAB_RESOURCE of node$each" sh -c \
            "kubectl get node node$each -o jsonpath='{.status.allocatable}' | grep -q '\"$K8S_LAB_RESOURCE\":\"[1-9]'"
    done
    await 60 "service account" kubectl get serviceaccount default
fi
status=0
bash -c "$command" || status=$?
say "the command ended, status=$status"
exit "$status"
