import os,re,sys,subprocess,collections
root=sys.argv[1]; os.chdir(root); apply='--apply' in sys.argv
out=subprocess.check_output(['git','ls-files','-co','--exclude-standard','*.java'],text=True).split('\n')
java=[f for f in out if f.endswith('.java') and os.path.isfile(f)]
src={f:open(f).read() for f in java}
def strip(s):
    s=re.sub(r'/\*.*?\*/','',s,flags=re.S); s=re.sub(r'//.*','',s); s=re.sub(r'"(\\.|[^"\\])*"','""',s); return s
code={f:strip(s) for f,s in src.items()}
pk={f:(re.search(r'^package ([\w.]+);',s,re.M) or [0,''])[1] for f,s in src.items()}
types={}
for f in java:
    if f.startswith('structures/src/main/'):
        n=os.path.basename(f)[:-5]
        if n in('package-info','module-info'): continue
        types[pk[f]+'.'+n]=f
DECL=re.compile(r'^public ((?:abstract |final |sealed |non-sealed |strictfp )*)(class|interface|enum|record|@interface) ',re.M)
public={t for t,f in types.items() if DECL.search(code[f])}
users=collections.defaultdict(lambda: collections.defaultdict(set))
tok={f:set(re.findall(r'\b[A-Z]\w*',c)) for f,c in code.items()}
imports={f:set(re.findall(r'^import (?:static )?(io\.atoll[\w.]*)',c,re.M)) for f,c in code.items()}
for f in java:
    kind='main' if '/src/main/' in f else 'test'
    mod=f.split('/')[0]
    for i in imports[f]:
        u=i
        while u and u not in types: u=u.rpartition('.')[0]
        if u and u in public and pk[f]!=u.rpartition('.')[0]:
            s=u.rpartition('.')[2]
            # javadoc only?
            body=re.sub(r'^import .*$','',code[f],flags=re.M)
            if s in set(re.findall(r'\b[A-Z]\w*',body)) or 'import static '+u in code[f]:
                users[u][(mod,kind)].add(f)
            else: users[u][('doc',kind)].add(f)
    for m in re.findall(r'io\.atoll[\w.]*',re.sub(r'^(import|package) .*$','',code[f],flags=re.M)):
        u=m
        while u and u not in types: u=u.rpartition('.')[0]
        if u and u in public and pk[f]!=u.rpartition('.')[0]: users[u][(mod,kind)].add(f)
for l in open('config/moves/deps.txt'):
    m,k,a,b=l.split(); a=a.split('$')[0]; b=b.split('$')[0]
    if b in public and a.rpartition('.')[0]!=b.rpartition('.')[0]: users[b][(m,'main' if k=='classes' else 'test')].add(a)
tot=len(types)
cat=collections.Counter(); none=[];testonly=[]
for t in sorted(public):
    us=users[t]; ks=set(us)
    if any(k[1]=='main' and k[0]!='doc' for k in ks): cat['main']+=1
    elif any(k[0] not in('structures','doc') for k in ks): cat['othertests']+=1; testonly.append(t)
    elif ('structures','test') in ks: cat['structtests']+=1; testonly.append(t)
    else: cat['none']+=1; none.append(t)
print(tot,len(public),dict(cat))
# signature leaks
keep={t for t in public if t not in none}
leak={}
for t in none:
    s=t.rpartition('.')[2]; p=t.rpartition('.')[0]
    for k in keep:
        if k.rpartition('.')[0]!=p: continue
        for m in re.finditer(r'^\s+(?:public|protected) (?:[^;{=]*?)\b'+s+r'\b[^;{=]*[;{]',code[types[k]],re.M):
            leak.setdefault(t,[]).append(k.rpartition('.')[2]+': '+' '.join(m.group(0).split())[:100]); break
if '-v' in sys.argv:
    print('LEAK'); 
    for t in none:
        if t in leak: print(' ',t,leak[t][:3])
    print('TESTONLY')
    for t in testonly: print(' ',t,{k:len(v) for k,v in users[t].items()}, [os.path.basename(x) for v in users[t].values() for x in v][:4])
    print('NONE',' '.join(x.replace('io.atoll.','') for x in none if x not in leak))
KEEP=set(open('config/moves/vis-keep.txt').read().split()) if os.path.exists('config/moves/vis-keep.txt') else set()
if apply:
    for t in none:
        if t.replace('io.atoll.','') in KEEP: continue
        f=types[t]; s=src[f]
        s2=re.sub(r'^public ((?:abstract |final |sealed |non-sealed |strictfp )*)(class|interface|enum|record|@interface) ',r'\1\2 ',s,count=1,flags=re.M)
        open(f,'w').write(s2)
