#!/usr/bin/env bash
# Tests what ranks in real pods do. lab/lab.sh runs this with the images atoll/node:trial and example/shop:trial. It ends with 0 if all is as expected.
#
#   pods.sh [PART]...        defaults to all parts
set -euo pipefail
source "$(dirname "$0")/steps"
parts=(tcp memory certificates console shop resource)

on_loss=(--set application.atoll.long-maps.hits.on-loss=empty)

# The process of a rank: NAMESPACE RANK.
process() {
    local uid each
    uid=$(uid "$1" "$2")
    for each in $(find "/sys/fs/cgroup/memory/$LAB_CGROUP" -path "*/pod$uid/*" -name cgroup.procs -exec cat {} +); do
        [ "$(cat "/proc/$each/comm")" != java ] || echo "$each"
    done
}

evict() { # NAMESPACE RANK
    kubectl create --raw "/api/v1/namespaces/$1/pods/shop-atoll-$2/eviction" -f - >/dev/null <<JSON
{"apiVersion": "policy/v1beta1", "kind": "Eviction", "metadata": {"name": "shop-atoll-$2", "namespace": "$1"}}
JSON
}

# Seconds of each step of a roll-out, rank by rank from the last one, all ranks looked at in between: NAMESPACE. Meanwhile other ranks count. A count
# that lies at the rank that is replaced may fail then, and no other one: so each key fails in one step at most.
rank_by_rank() {
    local rank from newest key counters steps asked acknowledged
    newest=$(kubectl -n "$1" get statefulset shop-atoll -o jsonpath='{.status.updateRevision}')
    for rank in 2 1 0; do
        counters=()
        rm -f "$work/enough"
        for key in 11 12 13 14 15 16; do
            counting "$1" $(((rank + 1 + key % 2) % 3)) $key &
            counters+=($!)
        done
        from=$(date +%s%N)
        kubectl -n "$1" patch statefulset shop-atoll --type=merge -p "{\"spec\":{\"updateStrategy\":{\"rollingUpdate\":{\"partition\":$rank}}}}" >/dev/null
        within 120 "rank $rank is replaced" sh -c "[ \"\$(kubectl -n $1 get pod shop-atoll-$rank -o jsonpath='{.metadata.labels.controller-revision-hash}')\" = $newest ]"
        kubectl -n "$1" wait --for=condition=Ready --timeout=180s "pod/shop-atoll-$rank" >/dev/null || fail "rank $rank is not ready again"
        echo "rank $rank was replaced within $(since "$from") s"
        within 60 "all are ready" ready "$1" 3
        touch "$work/enough"
        wait "${counters[@]}"
        for key in 11 12 13 14 15 16; do
            read -r asked acknowledged <"$work/counted.$key"
            [ "$asked" -eq "$acknowledged" ] || echo $rank >>"$work/failed.$key"
            shared "$1" $((key % 3)) $key
        done
    done
    for key in 11 12 13 14 15 16; do
        [ -e "$work/failed.$key" ] || continue
        steps=$(paste -sd' ' "$work/failed.$key")
        echo "key $key could not be counted while this rank was replaced: $steps"
        [ "$(wc -w <<<"$steps")" -eq 1 ] || fail "key $key could not be counted while a rank was replaced where it does not lie: $steps"
    done
}

prometheus_begins() { # NAMESPACE
    local rank targets=""
    for rank in 0 1 2; do targets="$targets${targets:+, }\"$(at "$1" $rank):8081\""; done
    sed "s/WORLD/shop-atoll/g" "$chart/files/alerts.yaml" >"$work/alerts.yaml"
    promtool check rules "$work/alerts.yaml" >/dev/null || fail "Prometheus cannot read the alerts"
    cat >"$work/prometheus.yaml" <<YAML
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [$work/alerts.yaml]
scrape_configs:
  - job_name: ranks
    metrics_path: /actuator/prometheus
    static_configs: [{targets: [$targets], labels: {namespace: $1}}]
YAML
    prometheus --config.file="$work/prometheus.yaml" --storage.tsdb.path="$work/metrics" --web.listen-address=127.0.0.1:9090 \
        >"$work/prometheus.log" 2>&1 &
    prometheus=$!
    within 60 "metrics of all ranks" sh -c "promtool query instant http://127.0.0.1:9090 'sum(up)' | grep -q '=> 3 '"
}
ask() { promtool query instant http://127.0.0.1:9090 "$1"; }
# Waiting or firing.
alerts() { ask 'ALERTS' | grep -o 'alertname="[A-Za-z]*"' | sort -u | cut -d'"' -f2 | paste -sd' '; }
alerts_are() { [ "$(alerts)" = "$1" ]; }

tcp() {
    local from count forward uid uids metric path key
    step "three ranks by TCP"
    from=$(date +%s%N)
    helm install shop "$chart" -n market --create-namespace -f "$chart/examples/tcp.yaml" "${trial[@]}" "${on_loss[@]}" \
        --wait --timeout 300s >/dev/null || fail "helm did not install the chart"
    echo "three ranks are ready $(since "$from") s after the installation"
    shared market 0 7
    shared market 2 8
    shared market 1 9
    helm test shop -n market --logs >"$work/test" 2>&1 || { cat "$work/test" >&2; fail "helm test failed"; }
    grep -q "verdict: the world works" "$work/test" || { cat "$work/test" >&2; fail "helm test shows no verdict"; }

    step "through a port-forward"
    kubectl -n market port-forward service/shop-atoll 18080:8080 >/dev/null &
    forward=$!
    within 20 "the port is forwarded" curl -sS -f http://127.0.0.1:18080/hits/7
    for path in /atoll/api/world /atoll/api/views /actuator/atoll /actuator/prometheus; do
        count=$(curl -sL -o /dev/null -w '%{http_code}' "http://127.0.0.1:18080$path")
        case $count in 401 | 403 | 404) ;; *) fail "$path answers a caller without a name, status=$count" ;; esac
    done
    kill $forward

    step "alerts"
    prometheus_begins market
    # A node has neither locks nor filters: MetersTest finds their metrics.
    for metric in $(grep -oE '\batoll_[a-z_]+' "$work/alerts.yaml" | grep -vE '^atoll_(lock_|structure_false)' | sort -u); do
        ask "count($metric{world=\"shop-atoll\"})" | grep -q '=> ' || fail "no rank has the metric $metric"
    done
    # The alerts of the seconds before the first scrape may still wait.
    within 30 "no alert of a world that is whole waits or fires" alerts_are ""
    kubectl -n market scale statefulset shop-atoll --replicas=2 >/dev/null
    within 90 "one alert tells of the rank that is gone, and no other does" alerts_are AtollRankLost
    kubectl -n market scale statefulset shop-atoll --replicas=3 >/dev/null
    within 180 "the rank is back" ready market 3
    within 60 "the alert ends" alerts_are ""
    kill $prometheus

    step "kill -9"
    count=$(hit market 0 7)
    from=$(date +%s%N)
    kill -9 "$(process market 1)"
    within 60 "Kubernetes has seen it" sh -c "[ \"\$(kubectl -n market get pod shop-atoll-1 -o jsonpath='{.status.containerStatuses[0].restartCount}')\" = 1 ]"
    within 120 "all are ready" ready market 3
    echo "all ranks are ready $(since "$from") s after one was killed"
    expect "what was counted before" "$(hits market 1 7)" "$count"
    shared market 1 7

    step "evictions keep to the budget"
    uid=$(uid market 1)
    evict market 1
    refused "disruption budget" evict market 2
    within 90 "the pod is replaced" replaced market 1 "$uid"
    within 180 "all are ready" ready market 3
    for key in 21 22 23 24 25 26; do shared market $((key % 3)) $key; done

    step "another image, one rank after the other"
    on node1 ctr images tag docker.io/atoll/node:trial docker.io/atoll/node:next >/dev/null
    from=$(date +%s%N)
    helm upgrade shop "$chart" -n market --reuse-values --set image.tag=next >/dev/null
    rolled market
    echo "three ranks were replaced within $(since "$from") s"
    expect "images" "$(kubectl -n market get pods -l app.kubernetes.io/component=rank -o jsonpath='{.items[*].spec.containers[0].image}')" \
        "atoll/node:next atoll/node:next atoll/node:next"
    shared market 0 7

    step "another secret, rank by rank"
    kubectl -n market patch statefulset shop-atoll --type=merge -p '{"spec":{"updateStrategy":{"rollingUpdate":{"partition":3}}}}' >/dev/null
    helm upgrade shop "$chart" -n market --reuse-values --set secret.generation=2 >/dev/null
    within 30 "the revision is known" sh -c "kubectl -n market get statefulset shop-atoll -o json | jq -e '.status.observedGeneration == .metadata.generation'"
    rank_by_rank market

    step "uninstall leaves nothing"
    uids=$(kubectl -n market get pods -o jsonpath='{.items[*].metadata.uid}')
    helm uninstall shop -n market --wait --timeout 120s >/dev/null
    within 60 "pods are gone" sh -c "[ -z \"\$(kubectl -n market get pods -o name)\" ]"
    expect "what is left" "$(left market)" ""
    for uid in $uids; do
        within 120 "the node has removed the pod's volumes" on node1 sh -c "[ ! -e /var/lib/kubelet/pods/$uid ]"
    done
}

memory() {
    step "three ranks by shared memory"
    helm install shop "$chart" -n memory --create-namespace -f "$chart/examples/shared-memory.yaml" "${trial[@]}" --wait --timeout 300s >/dev/null ||
        fail "helm did not install the chart"
    local count uid key
    shared memory 0 7
    shared memory 1 8
    count=$(hit memory 2 7)
    step "a pod that is replaced finds its segment again"
    uid=$(uid memory 1)
    kubectl -n memory delete pod shop-atoll-1 --wait=false >/dev/null
    within 90 "the pod is replaced" replaced memory 1 "$uid"
    within 180 "all are ready" ready memory 3
    expect "what was counted before" "$(hits memory 1 7)" "$count"
    for key in 1 2 3 4 5 6; do shared memory $((key % 3)) $key; done
    helm uninstall shop -n memory --wait --timeout 120s >/dev/null
    within 60 "pods are gone" sh -c "[ -z \"\$(kubectl -n memory get pods -o name)\" ]"
    expect "what is left in the node's memory" "$(on node1 ls /dev/shm)" ""
    expect "what is left" "$(left memory)" ""
}

# A certificate of that DNS name, and the authority that made it, in files of that name: NAME DNS.
certify() {
    local name=$work/$1
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=authority $1" \
        -keyout "$name.ca.key" -out "$name.ca.crt" 2>/dev/null
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=ranks $1" -keyout "$name.key" -out "$name.csr" 2>/dev/null
    openssl x509 -req -days 1 -in "$name.csr" -CA "$name.ca.crt" -CAkey "$name.ca.key" -CAcreateserial -out "$name.crt" \
        -extfile <(echo "subjectAltName=DNS:$2") 2>/dev/null
}

certificates() {
    local uid rank key serial
    step "three ranks that show certificates"
    certify first shop-atoll-ranks.certified.svc.cluster.local
    certify second shop-atoll-ranks.certified.svc.cluster.local
    kubectl create namespace certified >/dev/null
    files() { kubectl -n certified create secret generic shop-tls --from-file="tls.crt=$work/$1.crt" --from-file="tls.key=$work/$1.key" \
        --from-file="ca.crt=$2" --dry-run=client -o yaml | kubectl apply -f - >/dev/null; }
    files first "$work/first.ca.crt"
    helm install shop "$chart" -n certified -f "$chart/examples/tcp.yaml" "${trial[@]}" "${on_loss[@]}" --set tls.enabled=true \
        --set tls.existingSecret=shop-tls --set 'tls.peers[0]=shop-atoll-ranks.certified.svc.cluster.local' --wait --timeout 300s >/dev/null ||
        fail "helm did not install the chart"
    shared certified 0 7
    step "certificates of another authority are loaded, and let a new pod in"
    cat "$work/first.ca.crt" "$work/second.ca.crt" >"$work/both.crt"
    files second "$work/both.crt"
    serial=$(openssl x509 -in "$work/second.crt" -noout -serial | cut -d= -f2 | tr '[:upper:]' '[:lower:]' | sed 's/^0*//')
    for rank in 0 1 2; do
        # The kubelet looks at a pod's files when the pod changes, or once a minute.
        kubectl -n certified annotate pod "shop-atoll-$rank" changed=now >/dev/null
    done
    loaded() { curl -sS -m 20 "http://$(at certified "$1"):8081/actuator/prometheus" | grep '^ssl_chain_expiry' | grep -q "$serial"; }
    for rank in 0 1 2; do within 150 "rank $rank has loaded the new certificate" loaded $rank; done
    uid=$(uid certified 1)
    kubectl -n certified delete pod shop-atoll-1 --wait=false >/dev/null
    within 90 "the pod is replaced" replaced certified 1 "$uid"
    within 180 "all are ready" ready certified 3
    for key in 1 2 3 4 5 6; do shared certified $((key % 3)) $key; done
    helm uninstall shop -n certified --wait --timeout 120s >/dev/null
}

console() {
    local service password proxy
    step "the console through the Service"
    helm install shop "$chart" -n console --create-namespace "${trial[@]}" --set world.size=2 --set console.actions=true \
        --set console.users.enabled=true --set ingress.enabled=true --set 'ingress.hosts[0].host=shop.example.com' \
        --wait --timeout 300s >/dev/null || fail "helm did not install the chart"
    service=$(kubectl -n console get service shop-atoll -o jsonpath='{.spec.clusterIP}'):8080
    password=$(kubectl -n console get secret shop-atoll-users -o jsonpath='{.data.admin}' | base64 -d)
    operated "http://$service" "http://$service" "$password"
    step "the console through an ingress that ends TLS, under a prefix"
    certify ingress shop.example.com
    ingress_begins "$service" 443
    proxy=$!
    within 20 "the ingress answers" curl -s --cacert "$work/ingress.ca.crt" --resolve shop.example.com:443:127.0.0.1 https://shop.example.com/ops/hits/7
    operated https://shop.example.com/ops https://shop.example.com "$password" --cacert "$work/ingress.ca.crt" --resolve shop.example.com:443:127.0.0.1
    kill $proxy
    helm uninstall shop -n console --wait --timeout 120s >/dev/null
}

shop() {
    step "the documentation's shop, in an image of its own"
    local placed rank
    # The values of the chart's README.
    awk '/^# shop\.yaml$/ { inside = 1 } /^```$/ { inside = 0 } inside' "$chart/README.md" >"$work/shop.yaml"
    [ -s "$work/shop.yaml" ] || fail "the README shows no values of an application"
    helm install shop "$chart" -n shop --create-namespace -f "$work/shop.yaml" "${trial[@]}" \
        --set image.repository=example/shop --wait --timeout 300s >/dev/null || fail "helm did not install the chart"
    order() { curl -sS -f -m 20 -X POST "http://$(at shop "$1"):8080/orders/7/42/3"; }
    expect "the first order" "$(order 0)" true
    expect "the same order at another rank" "$(order 1)" false
    expect "sold" "$(curl -sS -f -m 20 "http://$(at shop 2):8080/sold/42")" 3
    for rank in 0 1 2; do
        expect "the rank of a pod" "$(curl -sS -f -m 20 "http://$(at shop $rank):8080/rank")" $rank
    done
    placed=$(curl -s -o /dev/null -w '%{http_code}' "http://$(at shop 0):8080/atoll/api/world")
    case $placed in 401 | 403 | 404) ;; *) fail "the console answers a caller without a name, status=$placed" ;; esac
    helm uninstall shop -n shop --wait --timeout 120s >/dev/null
}

resource() {
    step "pods get a device by its resource, and say what they lack"
    helm install shop "$chart" -n resource --create-namespace "${trial[@]}" --set fabric=rdma --set "rdma.resource=$K8S_LAB_RESOURCE" \
        --set rdma.shareNode=true >/dev/null
    within 60 "two have a share, and the third waits for one" sh -c "kubectl -n resource get pods -o json | jq -e '
        ([.items[] | select(.spec.nodeName != null)] | length) == 2 and
        ([.items[].status.conditions[]? | select(.reason == \"Unschedulable\") | .message] | any(contains(\"Insufficient $K8S_LAB_RESOURCE\")))'"
    local pod
    pod=$(kubectl -n resource get pods -o json | jq -r 'first(.items[] | select(.spec.nodeName != null)).metadata.name')
    within 90 "the init container says what is missing" sh -c "kubectl -n resource logs $pod -c rdma-check | grep -q '^missing: '"
    kubectl -n resource logs "$pod" -c rdma-check | grep '^missing: '
    helm uninstall shop -n resource --wait --timeout 120s >/dev/null
}

[ $# -eq 0 ] || parts=("$@")
for part in "${parts[@]}"; do "$part"; done
step "ranks in pods do as they should"
