/* MuJoCo behind the harness's face: forward dynamics without constraints and contacts. */
#include <mujoco/mujoco.h>
#include <string.h>

typedef struct {
    mjModel *m;
    mjData *d;
} context;

void *peer_model(const char *file, char *error, int length)
{
    static context found[16];
    static int used = 0;
    context *c = &found[used++ % 16];
    c->m = mj_loadXML(file, 0, error, length);
    if (!c->m) {
        return 0;
    }
    c->m->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_ACTUATION;
    c->d = mj_makeData(c->m);
    return c;
}

int peer_forward(const double *q, const double *v, const double *tau, double *a, context *c)
{
    memcpy(c->d->qpos, q, sizeof *q * (size_t)c->m->nq);
    memcpy(c->d->qvel, v, sizeof *v * (size_t)c->m->nv);
    memcpy(c->d->qfrc_applied, tau, sizeof *tau * (size_t)c->m->nv);
    mj_forwardSkip(c->m, c->d, mjSTAGE_NONE, 1);
    memcpy(a, c->d->qacc, sizeof *a * (size_t)c->m->nv);
    return 0;
}
