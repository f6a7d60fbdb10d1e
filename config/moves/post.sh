# post.sh ROOT: what follows the moves
set -e
R=$1; cd $R
cp config/moves/PublicTypesTest.java app/src/test/java/io/atoll/app/
cp config/moves/ArchitectureTest.java structures/src/test/java/io/atoll/
python3 - <<'P'
p='app/pom.xml'; s=open(p).read()
if 'archunit' not in s:
    a='''        <dependency>
            <groupId>org.awaitility</groupId>
'''
    assert a in s
    s=s.replace(a,'''        <dependency>
            <groupId>com.tngtech.archunit</groupId>
            <artifactId>archunit-junit5</artifactId>
        </dependency>
'''+a,1)
    open(p,'w').write(s)
P
cp config/moves/0051.md structures/docs/decisions/0054-one-package-per-noun.md
python3 - <<'P'
import re
p='docs/inside.md'; s=open(p).read()
i=s.index('| Package | Is |'); j=s.index('\n\n',i)
s=s[:i]+open('config/moves/inside-table.md').read().rstrip('\n')+s[j:]
open(p,'w').write(s)
P
