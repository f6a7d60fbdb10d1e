import subprocess as _s
_st=set()
for _f in _s.check_output(['git','ls-files','starter'],text=True).split('\n'):
    if _f.endswith('.java') and '/java/io/atoll/' in _f:
        _p='.'.join(_f.split('/java/')[1].split('/')[:-1])
        _st.add(_p)
_struct=set()
for _f in _s.check_output(['git','ls-files','structures'],text=True).split('\n'):
    if _f.endswith('.java'):
        _struct.add('.'.join(_f.split('/java/')[1].split('/')[:-1]))
for _p in _st-_struct:
    PK[_p]='io.atoll.spring'+_p[len('io.atoll'):]
print('starter in packages of structures:',_st&_struct)
for _f in _s.check_output(['git','ls-files','structures/src'],text=True).split('\n'):
    if '/io/atoll/queue/LinkedQueue' in _f or '/io/atoll/queue/MichaelScott' in _f:
        TYPES['io.atoll.queue.'+_f.split('/')[-1][:-5]]='io.atoll.linked'
PK['io.atoll.lock.trial']='io.atoll.lock'
