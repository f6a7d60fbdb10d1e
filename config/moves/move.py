#!/usr/bin/env python3
"""Moves packages: move.py ROOT [--dry]"""
import os, re, sys, subprocess, collections
root=sys.argv[1]; dry='--dry' in sys.argv
os.chdir(root)
A='io.atoll.'
PK={ # old -> new, exact packages
'collective.broadcast':'collective','collective.broadcast.words':'collective','collective.exchange':'collective','collective.log':'collective',
'collective.measurement':'collective','collective.model':'collective','collective.team':'collective',
'codec.fixed':'codec','codec.variable':'codec','codec.object':'codec.kryo',
'epoch.limbo':'epoch','epoch.local':'epoch','epoch.observation':'epoch','epoch.words':'epoch',
'fabric.delay':'fabric.trace','fabric.metering':'fabric.trace','fabric.recording':'fabric.trace',
'fabric.shm.file':'fabric.shm',
'fabric.verbs':'fabric.rdma','fabric.verbs.device':'fabric.rdma','fabric.verbs.link':'fabric.rdma',
'fabric.verbs.provider':'disni','fabric.verbs.provider.connection':'disni','fabric.verbs.provider.device':'disni',
'fabric.verbs.provider.foreign':'disni','fabric.verbs.provider.resource':'disni','fabric.verbs.provider.work':'disni',
'filter.block':'filter','filter.size':'filter',
'heap.object':'heap','heap.run':'heap','heap.table':'heap',
'lock.observation':'lock','lock.queue':'lock','lock.request':'lock','lock.spin':'lock','lock.words':'lock',
'map.block':'map','map.bucket':'map','map.entry':'map','map.figures':'map','map.growth':'map','map.inline':'map','map.longs':'map',
'map.payload':'map','map.table':'map','map.watch':'map',
'pointer':'array','stack':'linked','node':'linked',
'queue.fast':'queue','queue.ring':'queue','queue.words':'queue',
'world.directory':'world','world.waiting':'world',
}
PK={A+k:A+v for k,v in PK.items()}
TYPES={ # old fqn -> new package
A+'queue.LinkedQueue':A+'linked',A+'queue.MichaelScottQueue':A+'linked',
}
SP={}
exec(open('config/moves/move-extra.py').read()) if os.path.exists('config/moves/move-extra.py') else None
files=subprocess.check_output(['git','ls-files'],text=True).split('\n')
files=[f for f in files if f and os.path.isfile(f)]
java=[f for f in files if f.endswith('.java')]
text={}
for f in files:
    try: text[f]=open(f,encoding='utf-8').read()
    except UnicodeDecodeError: pass
pkg={}
for f in java:
    m=re.search(r'^package ([\w.]+);',text[f],re.M); pkg[f]=m.group(1) if m else ''
def newpkg(p): return PK.get(p,p)
types=collections.defaultdict(dict) # pkg -> simple -> file
for f in java:
    s=os.path.basename(f)[:-5]
    if s not in('package-info','module-info'): types[pkg[f]][s]=f
newfqn={}
for p,ts in types.items():
    for s in ts: newfqn[p+'.'+s]=TYPES.get(p+'.'+s,newpkg(p))+'.'+RENAME.get(p+'.'+s,s) if 'RENAME' in globals() else TYPES.get(p+'.'+s,newpkg(p))+'.'+s
# collisions
seen=collections.defaultdict(list)
for o,n in newfqn.items():
    p,s=o.rsplit('.',1); tree=types[p][s].split('/src/')[0]
    seen[n].append(types[p][s])
bad=False
for n,fs in seen.items():
    if len(fs)>1: print('COLLISION',n,fs); bad=True
if '--graph' in sys.argv:
    g=collections.defaultdict(lambda: collections.defaultdict(set))
    for f in java:
        if '/src/main/' not in f or not f.startswith('structures'): continue
        s=os.path.basename(f)[:-5]
        if s=='package-info': continue
        np=newfqn[pkg[f]+'.'+s].rsplit('.',1)[0]
        used=set(re.findall(r'^import (?:static )?(io\.atoll[\w.]*)',text[f],re.M))
        deps=set()
        for u in used:
            while u and u not in newfqn: u=u.rpartition('.')[0]
            if u: deps.add(u)
        toks=set(re.findall(r'\b[A-Z]\w*',text[f]))
        for t,ff in types[pkg[f]].items():
            if t in toks and '/src/main/' in ff: deps.add(pkg[f]+'.'+t)
        for d in deps:
            dp=newfqn[d].rsplit('.',1)[0]
            if dp!=np: g[np][dp].add((s,d.rsplit('.',1)[1]))
    # SCC
    idx={};low={};st=[];on=set();out=[]
    def dfs(v):
        idx[v]=low[v]=len(idx); st.append(v); on.add(v)
        for w in g[v]:
            if w not in idx: dfs(w); low[v]=min(low[v],low[w])
            elif w in on: low[v]=min(low[v],idx[w])
        if low[v]==idx[v]:
            c=[]
            while True:
                w=st.pop(); on.discard(w); c.append(w)
                if w==v: break
            if len(c)>1: out.append(c)
    sys.setrecursionlimit(10000)
    for v in list(g):
        if v not in idx: dfs(v)
    for c in out:
        print('CYCLE',c)
        for a in c:
            for b in g[a]:
                if b in c: print('  ',a,'->',b,sorted(g[a][b])[:12])
    print('packages',len({n.rsplit('.',1)[0] for o,n in newfqn.items() if '/src/main/' in types[o.rsplit('.',1)[0]][o.rsplit('.',1)[1]] and types[o.rsplit('.',1)[0]][o.rsplit('.',1)[1]].startswith('structures')}))
if dry: sys.exit(1 if bad else 0)
# rewriting
allp=sorted(set(PK)|{p for p in types},key=len,reverse=True)
def fq(m):
    whole=m.group(0)
    # whole: io.atoll(.lower)*(.Upper\w*)?
    parts=whole.split('.')
    k=len(parts)
    p=[];i=0
    while i<k and (parts[i][:1].islower()): p.append(parts[i]); i+=1
    pk='.'.join(p)
    rest=parts[i:]
    # the longest prefix that is a package
    tail=[]
    q=p[:]
    while q and '.'.join(q) not in known: tail.insert(0,q.pop())
    if not q: return whole
    base='.'.join(q)
    if rest and not tail:
        o=base+'.'+rest[0]
        if o in newfqn: return '.'.join([newfqn[o]]+rest[1:])
    return '.'.join([newpkg(base)]+tail+rest)
known=set(types)|set(PK)
FQ=re.compile(r'\bio\.atoll(?:\.[A-Za-z_]\w*)*')
PATH=re.compile(r'\bio/atoll((?:/[a-z]\w*)+)(/[A-Z]\w*)?')
def path(m):
    parts=['io','atoll']+m.group(1).strip('/').split('/')
    t=(m.group(2) or '')
    tail=[]
    while '.'.join(parts) not in known and len(parts)>2: tail.insert(0,parts.pop())
    base='.'.join(parts)
    if t and not tail and base+'.'+t[1:] in newfqn: return newfqn[base+'.'+t[1:]].replace('.','/')
    return '/'.join([newpkg(base).replace('.','/')]+tail)+t
moved={}
for f in list(text):
    s=text[f]
    if f.endswith('.java'):
        simple=os.path.basename(f)[:-5]; old=pkg[f]
        if simple=='package-info': np=newpkg(old)
        elif simple=='module-info': np=old
        else: np=newfqn[old+'.'+simple].rsplit('.',1)[0]
        body=s
        head=re.search(r'^package [\w.]+;',body,re.M)
        rest=body[head.end():] if head else body
        n=FQ.sub(fq,rest)
        # imports of types that were neighbours
        toks=set(re.findall(r'\b[A-Z]\w*',re.sub(r'^import .*$','',n,flags=re.M)))
        imported={i.rsplit('.',1)[1] for i in re.findall(r'^import (?:static )?([\w.]+);',n,re.M)}
        add=[]
        for t in types[old]:
            nf=newfqn[old+'.'+t]
            if t in toks and nf.rsplit('.',1)[0]!=np and t!=simple and t not in imported: add.append(nf)
        # a test package's type may be a twin
        def keep(m):
            st,i=m.group(1),m.group(2)
            if not st and i.rsplit('.',1)[0]==np: return ''
            return m.group(0)
        n=re.sub(r'^import (static )?([\w.]+);\n',keep,n,flags=re.M)
        if add:
            imps=''.join(f'import {a};\n' for a in sorted(add))
            m=re.search(r'^import (?!static)',n,re.M)
            if m: n=n[:m.start()]+imps+n[m.start():]
            else:
                m=re.search(r'^import static .*\n(?!import)',n,re.M)
                if m: n=n[:m.end()]+'\n'+imps+n[m.end():]
                else: n='\n\n'+imps+n.lstrip('\n') if False else '\n\n'+imps+'\n'+n.lstrip('\n')
        # SORT
        def srt(mm): return ''.join(sorted(mm.group(0).splitlines(True),key=lambda l:l.rstrip(';\n')))
        n=re.sub(r'(?:^import (?!static)[\w.*]+;\n)+',srt,n,flags=re.M)
        n=re.sub(r'(?:^import static [\w.*]+;\n)+',srt,n,flags=re.M)
        n=(body[:head.start()]+f'package {np};' if head else '')+n
        tree=f[:f.index('/java/')+6] if '/java/' in f else None
        nf=f
        if tree and np!=old: nf=tree+np.replace('.','/')+'/'+os.path.basename(f)
        if simple=='package-info' and np!=old and (nf in text or nf in moved.values()):
            moved[f]=None; continue
        moved[f]=nf
        text_new=PATH.sub(path,n)
    else:
        text_new=PATH.sub(path,FQ.sub(fq,s)) if not f.endswith('.lock') else s
        if f.endswith('.md'):
            def part(m):
                p=A+m.group(1)
                if p+'.'+m.group(2) in newfqn: return newfqn[p+'.'+m.group(2)][len(A):]
                return m.group(0)
            text_new=re.sub(r'(?<![\w./-])((?:[a-z]+\.)*[a-z]+)\.([A-Z]\w*)',part,text_new)
            text_new=re.sub(r'`((?:[a-z]+\.)+[a-z]+)`',lambda m: '`'+PK[A+m.group(1)][len(A):]+'`' if A+m.group(1) in PK and m.group(1) not in ('fabric.verbs',) else m.group(0),text_new)
        nf=f
        m=re.search(r'/resources/io/atoll/',f)
        if m and f.startswith('structures'):
            i=f.index('io/atoll'); d=os.path.dirname(f[i:]).replace('/','.')
            if d in PK: nf=f[:i]+PK[d].replace('.','/')+'/'+os.path.basename(f)
        moved[f]=nf
    text[f]=text_new
for f,nf in moved.items():
    if nf is None:
        subprocess.check_call(['git','rm','-qf',f]); continue
    if nf!=f:
        os.makedirs(os.path.dirname(nf),exist_ok=True)
        subprocess.check_call(['git','mv',f,nf])
    cur=open(nf,encoding='utf-8').read()
    if cur!=text[f]: open(nf,'w',encoding='utf-8').write(text[f])
