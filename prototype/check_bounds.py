"""Bounds against exhaustive search over partitions of people (not only cells) on tiny tables."""
import numpy as np, pandas as pd, gyges as gy, sys
import least_loss as LL, loss_bounds as LB
from gyges.data.hierarchy import Hierarchy
def partitions(n):
    def rec(i,blocks):
        if i==n: yield [list(b) for b in blocks]; return
        for b in blocks:
            b.append(i); yield from rec(i+1,blocks); b.pop()
        blocks.append([i]); yield from rec(i+1,blocks); blocks.pop()
    yield from rec(0,[])
rng=np.random.default_rng(5); worst=[];
for trial in range(int(sys.argv[1])):
    n=int(rng.integers(5,9)); k=int(rng.integers(2,4))
    df=pd.DataFrame({'age':rng.integers(0,8,n),'a':rng.choice(list('uvwxyz'),n),'b':rng.choice(list('pqr'),n)})
    tree={'uv':['u','v'],'wx':['w','x'],'yz':['y','z']}
    lines=[[str(i),f'{i//2*2}-{i//2*2+1}',f'{i//4*4}-{i//4*4+3}','*'] for i in range(8)]
    H={'age':Hierarchy(tuple(map(tuple,lines))),'a':Hierarchy.from_tree(tree),'b':Hierarchy.from_tree(['p','q','r'])}
    t=gy.read(df,gy.Schema(quasi_identifiers=['age','a','b'],hierarchies=H)); C=t.cells
    for labels in ('tight','nodes'):
        p=LL.pose(C,gy.KAnonymity(k),labels); col=p.columns
        rows=np.repeat(np.arange(len(C)),col.people)
        memo={}
        def cost(b):
            key=tuple(sorted(rows[b]))
            if key not in memo:
                s=LL.new_state(col._replace(codes=col.codes[list(key)],people=np.ones(len(key),np.int64)),np.zeros(len(key)),1); memo[key]=LL.total_loss(s)
            return memo[key]
        opt=min(sum(cost(b) for b in P) for P in partitions(len(rows)) if min(map(len,P))>=k)/len(rows)/3
        bs={'labels':LB.mean(p,LB.by_labels(p))}
        if labels=='nodes':
            y=LB.by_nodes(p); bs['nodes']=LB.mean(p,y); bs['raised']=LB.mean(p,LB.raised(p,y,20,.4))
        # the cheapest set of >=k people that holds each person, by all subsets
        from itertools import combinations
        ex=[min(cost(list(S))/len(S) for m in range(k,len(rows)+1) for S in combinations(range(len(rows)),m) if i in S) for i in range(len(rows))]
        exact=np.mean(ex)/3
        for x in LL.search(C,gy.KAnonymity(k),labels=labels):
            if x.epoch>=1: break
        for nm,b in bs.items(): assert b<=opt+1e-9,(trial,labels,nm,b,opt)
        assert abs(bs['labels']-exact)<1e-6 or bs['labels']<exact,(labels,bs,exact)
        assert x.loss>=bs['labels']
        worst.append((labels,bs.get('labels')/max(opt,1e-12),bs.get('nodes',0)/max(opt,1e-12),bs.get('raised',0)/max(opt,1e-12),x.loss/max(opt,1e-12) , abs(bs['labels']-exact)<1e-6, abs(bs.get('nodes',exact)-exact)<1e-6))
w=pd.DataFrame(worst,columns=['labels','by_labels/opt','nodes/opt','raised/opt','search/opt','labels exact','nodes exact']); print(w.groupby('labels').mean()); print(w.groupby('labels')['search/opt'].max(),len(w))
