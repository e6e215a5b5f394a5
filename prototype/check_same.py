"""Same seed, same result (twice, and with two chains at once in threads); every step no worse; safe."""
import numpy as np, gyges as gy, pickle
from concurrent.futures import ThreadPoolExecutor
import least_loss as LL
C=pickle.load(open('cells_occ.pkl','rb'))
def run(rule,n=30):
    out=[]
    for i,x in enumerate(LL.search(C,rule,seed=3)):
        out.append(x)
        if i==n: break
    return out
for r in (gy.KAnonymity(5),[gy.KAnonymity(5),gy.DistinctDiversity(4)],gy.Safety(.8,2)):
    a,b=run(r),run(r)
    with ThreadPoolExecutor(2) as pool: c,d=pool.map(run,[r,r])
    for o in (b,c,d): assert all((x.group_of_cell==y.group_of_cell).all() for x,y in zip(a,o))
    ls=[x.loss for x in a]; assert all(np.diff(ls)<=1e-12); print(r,'same',ls[0],ls[-1])
