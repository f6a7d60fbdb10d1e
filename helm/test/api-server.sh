#!/usr/bin/env bash
# Tests what an API server says to the chart, without a node. lab/lab.sh -a runs this. It ends with 0 if all is as expected.
set -euo pipefail
source "$(dirname "$0")/steps"

secret() { kubectl -n market get secret shop-atoll-secret -o jsonpath="{.data.$1}"; }
template() { kubectl -n market get statefulset shop-atoll -o jsonpath='{.spec.template}'; }
upgrade() { helm upgrade shop "$chart" -n market -f "$chart/examples/tcp.yaml" "$@" >/dev/null; }

step "install"
helm install shop "$chart" -n market --create-namespace -f "$chart/examples/tcp.yaml" >"$work/notes"
grep -q "kubectl -n market port-forward service/shop-atoll" "$work/notes" || fail "the notes do not name the application"
expect "pods" "$(kubectl -n market get statefulset shop-atoll -o jsonpath='{.spec.replicas}')" 3
fabric=$(secret fabric)
membership=$(secret membership)
[ "$(base64 -d <<<"$fabric" | wc -c)" -ge 32 ] || fail "the secret has fewer than 32 bytes"

step "an upgrade keeps secrets, and changes pods only where they differ"
before=$(template)
upgrade
expect "the pods' template" "$(template)" "$before"
upgrade --set jvm.heap=320Mi
[ "$(template)" != "$before" ] || fail "the pods have not changed with the heap"
expect "the secret of the fabric" "$(secret fabric)" "$fabric"
# A variable that the chart sets, too: server-side apply takes a name once.
upgrade --set-json 'extraEnv=[{"name":"HOSTNAME","value":"shop-atoll-0"},{"name":"MORE","value":"1"}]'

step "another secret is known beside the one before it"
upgrade --set secret.generation=2
expect "the secret before" "$(secret fabric-previous)" "$fabric"
[ "$(secret fabric)" != "$fabric" ] || fail "the secret has not changed"
expect "the secret of the membership" "$(secret membership)" "$membership"
later=$(secret fabric)
upgrade --set secret.generation=2 --set jvm.heap=320Mi
expect "the secret of the fabric" "$(secret fabric)" "$later"
expect "the secret before" "$(secret fabric-previous)" "$fabric"
refused "raise secret.generation above the present one" upgrade --set secret.generation=1

step "what would end the world, and what is no value, is refused"
for change in world.size=5 world.name=other segment=128Mi; do
    refused "a world keeps what it was founded with" upgrade --set secret.generation=2 --set $change
done
refused "additional properties" upgrade --set secret.generation=2 --set worlds.size=3

step "rollback"
helm rollback shop 1 -n market >/dev/null
expect "the heap" "$(template | grep -o 'Xmx[0-9]*m')" Xmx256m
[ "$(helm history shop -n market -o json | jq length)" -ge 6 ] || fail "the history has fewer than 6 revisions"

step "uninstall"
helm uninstall shop -n market >/dev/null
within 30 "the objects are gone" sh -c "[ -z \"\$(kubectl -n market get secrets,services,statefulsets -l app.kubernetes.io/instance=shop -o name)\" ]"
# No node means no controllers, which remove what the objects had.
expect "what is left" "$(left market)" ""

step "every example, applied by the server as a trial"
# Without what operators define. This API server ends with a fault where such an object is made: its library that
# iterates over maps is older than the Go that it is built with.
of_kubernetes() { awk 'BEGIN { RS = "---\n"; ORS = RS } !/\napiVersion: (cert-manager\.io|monitoring\.coreos\.com)\//'; }
# The check's pod asks for it, and a trial makes nothing.
kubectl -n market create serviceaccount shop-atoll >/dev/null
for example in "$chart"/examples/*.yaml; do
    [ "$(basename "$example")" != compose.yaml ] || continue
    helm template shop "$chart" -n market -f "$example" --kube-version "$(kubectl version -o json | jq -r .serverVersion.gitVersion)" \
        --set ingress.enabled=true --set 'ingress.hosts[0].host=shop.example.com' | of_kubernetes >"$work/example.yaml"
    kubectl -n market apply --server-side --force-conflicts --dry-run=server -f "$work/example.yaml" >"$work/applied" 2>"$work/said" ||
        { cat "$work/said" >&2; fail "the API server refused $example"; }
    echo "$(basename "$example"): $(wc -l <"$work/applied") objects"
done

step "the API server accepts the chart"
