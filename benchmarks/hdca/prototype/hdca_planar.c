/* Plain C implementation of the same steps, written with the specification; kept as it was. */
/* Planar (3x3) DCA and HDCA, revolute joints, multi-handle nodes, given binary assembly tree.
   wrench [fx,fy,tau], twist [vx,vy,w].  D = first two axes (global), H = third axis.
   gcc -O2 -shared -fPIC -o libplanar.so planar.c -lm */
#include <math.h>
#include <string.h>
#define NB 64
#define NJ 80
#define HM 6
#define DM (3*HM)
#define SM 8            /* max multipliers per merge */
typedef struct { int nh; int h[HM]; double X[DM][DM], x0[DM]; } Node;
typedef struct { int ns, nk, nj, js[SM/2]; double SY[SM][DM], Sz[SM]; int keep[HM]; int a,b; } Info;
typedef struct {
  int n, nj, nm;                      /* bodies, joints, merges; joint i<n is the tree joint of body i */
  int pred[NJ], succ[NJ];             /* -1 = ground */
  double m[NB], J[NB], rp[NJ][2], rs[NJ][2], g;
  int ma[2*NB], mb[2*NB];             /* merges; node ids: 0..n-1 bodies, n ground, n+1.. results */
  int inc[NB+1][HM], ninc[NB+1];      /* incident handles: 2*joint + (1 if succ side) */
  double reg;                         /* Tikhonov factor on the scaled G; 0 = plain Cholesky */
} Sys;
static Node node[3*NB]; static Info info[3*NB];
int sys_size(void){ return (int)sizeof(Sys); }
static void setup(Sys*s){
  for(int i=0;i<=s->n;i++) s->ninc[i]=0;
  for(int j=0;j<s->nj;j++){
    int b=s->succ[j]<0?s->n:s->succ[j]; s->inc[b][s->ninc[b]++]=2*j+1;
    b=s->pred[j]<0?s->n:s->pred[j]; s->inc[b][s->ninc[b]++]=2*j;
  }
}
void sys_init(Sys*s){ setup(s); }
static int chol(double G[SM][SM], int n){
  for(int j=0;j<n;j++){ double d=G[j][j]; for(int k=0;k<j;k++) d-=G[j][k]*G[j][k];
    if(!(d>0)) return 1; d=sqrt(d); G[j][j]=d;
    for(int i=j+1;i<n;i++){ double t=G[i][j]; for(int k=0;k<j;k++) t-=G[i][k]*G[j][k]; G[i][j]=t/d; } }
  return 0;
}
static void csolve(double G[SM][SM], int n, double*b, int st){
  for(int i=0;i<n;i++){ double t=b[i*st]; for(int k=0;k<i;k++) t-=G[i][k]*b[k*st]; b[i*st]=t/G[i][i]; }
  for(int i=n-1;i>=0;i--){ double t=b[i*st]; for(int k=i+1;k<n;k++) t-=G[k][i]*b[k*st]; b[i*st]=t/G[i][i]; }
}
static int merge(Sys*s,int ia,int ib,int ic){
  Node*A=&node[ia],*B=&node[ib],*C=&node[ic]; Info*I=&info[ic];
  int nt=A->nh+B->nh, hh[2*HM]; 
  static double X[2*DM][2*DM], x0[2*DM];
  int da=3*A->nh, db=3*B->nh, d=da+db;
  for(int i=0;i<d;i++) for(int k=0;k<d;k++) X[i][k]=0;
  for(int i=0;i<da;i++){ x0[i]=A->x0[i]; for(int k=0;k<da;k++) X[i][k]=A->X[i][k]; }
  for(int i=0;i<db;i++){ x0[da+i]=B->x0[i]; for(int k=0;k<db;k++) X[da+i][da+k]=B->X[i][k]; }
  for(int i=0;i<A->nh;i++) hh[i]=A->h[i];
  for(int i=0;i<B->nh;i++) hh[A->nh+i]=B->h[i];
  I->nj=0; int used[2*HM]={0}, ps[SM/2], pp[SM/2];
  for(int i=0;i<nt;i++) if(hh[i]&1) for(int k=0;k<nt;k++) if(hh[k]==hh[i]-1){ ps[I->nj]=i; pp[I->nj]=k; I->js[I->nj++]=hh[i]>>1; used[i]=used[k]=1; }
  int ns=2*I->nj, kp[2*DM], nk=0, c=0;
  for(int i=0;i<nt;i++) if(!used[i]){ I->keep[c]=hh[i]; C->h[c++]=hh[i]; for(int k=0;k<3;k++) kp[nk++]=3*i+k; }
  C->nh=c; I->ns=ns; I->nk=nk; I->a=ia; I->b=ib;
  static double Y[SM][DM]; double G[SM][SM], z[SM], G0[SM][SM];
  for(int a=0;a<I->nj;a++) for(int r=0;r<2;r++){ int row=2*a+r, u=3*ps[a]+r, v=3*pp[a]+r;
    for(int k=0;k<nk;k++) Y[row][k]=X[u][kp[k]]-X[v][kp[k]];
    z[row]=x0[u]-x0[v];
    for(int b=0;b<I->nj;b++) for(int q=0;q<2;q++){ int uu=3*ps[b]+q, vv=3*pp[b]+q;
      G[row][2*b+q]=X[u][uu]-X[u][vv]-X[v][uu]+X[v][vv]; } }
  double sc[SM];
  if(s->reg>0) for(int i=0;i<ns;i++) G[i][i]*=1+s->reg;
  memcpy(G0,G,sizeof G); (void)sc;
  if(chol(G,ns)) return 1;
  for(int i=0;i<ns;i++){ I->Sz[i]=z[i]; for(int k=0;k<nk;k++) I->SY[i][k]=Y[i][k]; }
  csolve(G,ns,I->Sz,1);
  for(int k=0;k<nk;k++) csolve(G,ns,&I->SY[0][k],DM);
  for(int i=0;i<nk;i++){ double t=x0[kp[i]]; for(int r=0;r<ns;r++) t-=Y[r][i]*I->Sz[r]; C->x0[i]=t;
    for(int k=0;k<nk;k++){ double w=X[kp[i]][kp[k]]; for(int r=0;r<ns;r++) w-=Y[r][i]*I->SY[r][k]; C->X[i][k]=w; } }
  return 0;
}
static double TT[2*NJ][3];
static void disasm(Sys*s,int ic){
  Info*I=&info[ic]; double Tk[DM];
  for(int i=0;i<I->nk/3;i++) for(int k=0;k<3;k++) Tk[3*i+k]=TT[I->keep[i]][k];
  for(int r=0;r<I->ns;r++){ double t=I->Sz[r]; for(int k=0;k<I->nk;k++) t+=I->SY[r][k]*Tk[k];
    int j=I->js[r/2]; TT[2*j+1][r%2]=-t; TT[2*j][r%2]=t; }
}
static double th[NB],cx[NB],cy[NB],HP[2*NJ][2];
static void kin(Sys*s,const double*q){
  for(int i=0;i<s->n;i++){ int p=s->pred[i]; double a=0,x=0,y=0,c=1,sn=0; if(p>=0){a=th[p];x=cx[p];y=cy[p];c=cos(a);sn=sin(a);} 
    double jx=x+c*s->rp[i][0]-sn*s->rp[i][1], jy=y+sn*s->rp[i][0]+c*s->rp[i][1];
    th[i]=a+q[i]; c=cos(th[i]); sn=sin(th[i]);
    cx[i]=jx-(c*s->rs[i][0]-sn*s->rs[i][1]); cy[i]=jy-(sn*s->rs[i][0]+c*s->rs[i][1]); }
  for(int j=0;j<s->nj;j++){ int p=s->pred[j],b=s->succ[j];
    if(p<0){HP[2*j][0]=s->rp[j][0];HP[2*j][1]=s->rp[j][1];} else {double c=cos(th[p]),sn=sin(th[p]);HP[2*j][0]=cx[p]+c*s->rp[j][0]-sn*s->rp[j][1];HP[2*j][1]=cy[p]+sn*s->rp[j][0]+c*s->rp[j][1];}
    if(b<0){HP[2*j+1][0]=s->rs[j][0];HP[2*j+1][1]=s->rs[j][1];} else {double c=cos(th[b]),sn=sin(th[b]);HP[2*j+1][0]=cx[b]+c*s->rs[j][0]-sn*s->rs[j][1];HP[2*j+1][1]=cy[b]+sn*s->rs[j][0]+c*s->rs[j][1];} }
}
static void leaf(Sys*s,int i){
  Node*N=&node[i]; N->nh=s->ninc[i]; for(int a=0;a<N->nh;a++) N->h[a]=s->inc[i][a];
  if(i==s->n){ memset(N->X,0,sizeof N->X); memset(N->x0,0,sizeof N->x0); return; }
  double im=1/s->m[i], iJ=1/s->J[i];
  for(int a=0;a<N->nh;a++){ double ax=HP[N->h[a]][0]-cx[i], ay=HP[N->h[a]][1]-cy[i];
    for(int b=0;b<N->nh;b++){ double bx=HP[N->h[b]][0]-cx[i], by=HP[N->h[b]][1]-cy[i]; double (*X)[DM]=N->X; int A=3*a,B=3*b;
      X[A][B]=im+ay*by*iJ; X[A][B+1]=-ay*bx*iJ; X[A][B+2]=-ay*iJ;
      X[A+1][B]=-ax*by*iJ; X[A+1][B+1]=im+ax*bx*iJ; X[A+1][B+2]=ax*iJ;
      X[A+2][B]=-by*iJ; X[A+2][B+1]=bx*iJ; X[A+2][B+2]=iJ; } }
}
static int solve_tree(Sys*s){
  int id=s->n+1;
  for(int k=0;k<s->nm;k++,id++) if(merge(s,s->ma[k],s->mb[k],id)) return 1;
  memset(TT,0,sizeof TT);
  for(int k=s->nm-1;k>=0;k--) disasm(s,s->n+1+k);
  return 0;
}
static double VB[NB][3]; /* cm twist */
static double om_[NB];
/* HDCA: y=[q,p] -> dy=[qd,pd]; aux (optional): sigma of cut joints (2 each) */
int hdca(Sys*s,const double*y,double*dy,double*sig){
  int n=s->n; const double*p=y+n; kin(s,y);
  for(int i=0;i<=n;i++){ leaf(s,i); if(i<n){ Node*N=&node[i]; double w=0; 
      for(int a=0;a<N->nh;a++){ int j=N->h[a]>>1; if(j<n) w+=(N->h[a]&1?1:-1)*p[j]; }
      for(int a=0;a<N->nh;a++) for(int k=0;k<3;k++) N->x0[3*a+k]=N->X[3*a+k][2]*w; } }
  /* note: a pure couple w gives the same column X[.][3b+2] for every handle b */
  if(solve_tree(s)) return 1;
  for(int i=0;i<n;i++){ Node*N=&node[i]; double f0=0,f1=0,tau=0;
    for(int a=0;a<N->nh;a++){ int h=N->h[a]; double rx=HP[h][0]-cx[i], ry=HP[h][1]-cy[i]; f0+=TT[h][0]; f1+=TT[h][1]; tau+=rx*TT[h][1]-ry*TT[h][0];
      int j=h>>1; if(j<n) tau+=(h&1?1:-1)*p[j]; }
    VB[i][0]=f0/s->m[i]; VB[i][1]=f1/s->m[i]; VB[i][2]=tau/s->J[i]; }
  for(int i=0;i<n;i++) dy[i]=VB[i][2]-(s->pred[i]>=0?VB[s->pred[i]][2]:0);
  /* step 2: couples about a common origin-free form: accumulate wrench (force, moment about global origin) leaf->root */
  static double W[NB][3];
  for(int i=0;i<n;i++){ W[i][0]=0; W[i][1]=-s->m[i]*s->g; W[i][2]=-s->m[i]*s->g*cx[i]; }
  for(int j=n;j<s->nj;j++) for(int sd=0;sd<2;sd++){ int b=sd?s->succ[j]:s->pred[j]; if(b<0) continue; int h=2*j+sd;
    double vx=VB[b][0]-VB[b][2]*(HP[h][1]-cy[b]), vy=VB[b][1]+VB[b][2]*(HP[h][0]-cx[b]);
    W[b][2]-=vx*TT[h][1]-vy*TT[h][0]; }               /* -Sdot_c Pbar_c : a pure couple */
  for(int i=n-1;i>=0;i--){ int pr=s->pred[i]; if(pr>=0) for(int k=0;k<3;k++) W[pr][k]+=W[i][k]; }
  for(int i=0;i<n;i++){ int h=2*i+1; double px=HP[h][0],py=HP[h][1];
    double vx=VB[i][0]-VB[i][2]*(py-cy[i]), vy=VB[i][1]+VB[i][2]*(px-cx[i]);
    dy[n+i]=W[i][2]-(px*W[i][1]-py*W[i][0]) - (vx*TT[h][1]-vy*TT[h][0]); }
  if(sig) for(int j=n;j<s->nj;j++){ sig[2*(j-n)]=TT[2*j+1][0]; sig[2*(j-n)+1]=TT[2*j+1][1]; }
  return 0;
}
static void vel(Sys*s,const double*qd){
  for(int i=0;i<s->n;i++){ int p=s->pred[i]; double vx=0,vy=0,w=0; int h=2*i;
    if(p>=0){ w=VB[p][2]; vx=VB[p][0]-w*(HP[h][1]-cy[p]); vy=VB[p][1]+w*(HP[h][0]-cx[p]); }
    w+=qd[i]; h=2*i+1; VB[i][2]=w; VB[i][0]=vx+w*(HP[h][1]-cy[i]); VB[i][1]=vy-w*(HP[h][0]-cx[i]); }
}
/* DCA: y=[q,qd] -> dy=[qd,qdd] ; lam optional */
int dca(Sys*s,const double*y,double*dy,double*lam){
  int n=s->n; kin(s,y); vel(s,y+n);
  for(int i=0;i<=n;i++){ leaf(s,i); if(i<n){ Node*N=&node[i]; double w2=VB[i][2]*VB[i][2];
      for(int a=0;a<N->nh;a++){ int h=N->h[a]; N->x0[3*a]=-w2*(HP[h][0]-cx[i]); N->x0[3*a+1]=-s->g-w2*(HP[h][1]-cy[i]); N->x0[3*a+2]=0; } } }
  if(solve_tree(s)) return 1;
  for(int i=0;i<n;i++){ double tau=0; for(int a=0;a<s->ninc[i];a++){ int h=s->inc[i][a]; tau+=(HP[h][0]-cx[i])*TT[h][1]-(HP[h][1]-cy[i])*TT[h][0]; } om_[i]=tau/s->J[i]; }
  for(int i=0;i<n;i++){ dy[i]=y[n+i]; dy[n+i]=om_[i]-(s->pred[i]>=0?om_[s->pred[i]]:0); }
  if(lam) for(int j=n;j<s->nj;j++){ lam[2*(j-n)]=TT[2*j+1][0]; lam[2*(j-n)+1]=TT[2*j+1][1]; }
  return 0;
}
/* diagnostics for tree rates qd: out = [T, V, max|phi|, max|phidot|, then phi(2 per cut), phidot(2 per cut)] */
void diag(Sys*s,const double*q,const double*qd,double*out){
  kin(s,q); vel(s,qd); double T=0,V=0; int n=s->n;
  for(int i=0;i<n;i++){ T+=.5*s->m[i]*(VB[i][0]*VB[i][0]+VB[i][1]*VB[i][1])+.5*s->J[i]*VB[i][2]*VB[i][2]; V+=s->m[i]*s->g*cy[i]; }
  double mp=0,mv=0; int o=4;
  for(int j=n;j<s->nj;j++){ double d[2],e[2]; for(int k=0;k<2;k++) d[k]=HP[2*j+1][k]-HP[2*j][k]; e[0]=e[1]=0;
    for(int sd=0;sd<2;sd++){ int b=sd?s->succ[j]:s->pred[j]; if(b<0) continue; int h=2*j+sd; double f=sd?1:-1;
      e[0]+=f*(VB[b][0]-VB[b][2]*(HP[h][1]-cy[b])); e[1]+=f*(VB[b][1]+VB[b][2]*(HP[h][0]-cx[b])); }
    for(int k=0;k<2;k++){ if(fabs(d[k])>mp) mp=fabs(d[k]); if(fabs(e[k])>mv) mv=fabs(e[k]); out[o+2*(j-n)+k]=d[k]; out[o+2*(s->nj-n)+2*(j-n)+k]=e[k]; } }
  out[0]=T; out[1]=V; out[2]=mp; out[3]=mv;
}
/* positions of all body centres and angles */
void pose(Sys*s,const double*q,double*xyt){ kin(s,q); for(int i=0;i<s->n;i++){ xyt[3*i]=cx[i]; xyt[3*i+1]=cy[i]; xyt[3*i+2]=th[i]; } }
/* momenta p from q, qd, sigma_c (on succ side +) */
void momenta(Sys*s,const double*q,const double*qd,const double*sig,double*p){
  int n=s->n; kin(s,q); vel(s,qd); static double W[NB][3];
  for(int i=0;i<n;i++){ W[i][0]=s->m[i]*VB[i][0]; W[i][1]=s->m[i]*VB[i][1]; W[i][2]=s->J[i]*VB[i][2]+cx[i]*W[i][1]-cy[i]*W[i][0]; }
  for(int j=n;j<s->nj;j++) for(int sd=0;sd<2;sd++){ int b=sd?s->succ[j]:s->pred[j]; if(b<0) continue; int h=2*j+sd; double f=sd?1:-1, a=f*sig[2*(j-n)], c=f*sig[2*(j-n)+1];
    W[b][0]-=a; W[b][1]-=c; W[b][2]-=HP[h][0]*c-HP[h][1]*a; }
  for(int i=n-1;i>=0;i--){ int pr=s->pred[i]; if(pr>=0) for(int k=0;k<3;k++) W[pr][k]+=W[i][k]; }
  for(int i=0;i<n;i++){ int h=2*i+1; p[i]=W[i][2]-(HP[h][0]*W[i][1]-HP[h][1]*W[i][0]); }
}
