set -e
cd $1
git mv structures/docs/papers.md docs/papers.md
git mv structures/docs/decisions docs/decisions
python3 - <<'P'
import subprocess
for f in subprocess.check_output(['git','ls-files'],text=True).split('\n'):
    if not f: continue
    try: s=open(f).read()
    except Exception: continue
    n=s
    if f.startswith('docs/decisions/'): n=n.replace('../../../docs/','../').replace('../../../','../../')
    elif f=='docs/papers.md': n=n.replace('../../docs/','')
    if f.startswith('docs/'): n=n.replace('../structures/docs/','')
    n=n.replace('structures/docs/','docs/')
    if n!=s: open(f,'w').write(n)
P
git grep -n "structures/docs" || true
