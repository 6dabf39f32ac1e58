// Pinocchio behind the harness's face, all of it built from the headers.
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <memory>

#include "tree.hpp"

namespace pin = pinocchio;
using Vector = Eigen::VectorXd;
using In = Eigen::Map<const Vector>;
using Out = Eigen::Map<Vector>;
using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Context {
    pin::Model model;
    std::unique_ptr<pin::Data> data;
    pin::Convention convention;
    Vector none;
};

extern "C" void *peer_model(int bodies, const double *numbers, const double *gravity, int world)
{
    auto *c = new Context{tree(bodies, numbers, gravity), nullptr, {}, {}};
    c->data = std::make_unique<pin::Data>(c->model);
    // Four tensors of nv cubed numbers, for second derivatives only.
    for (auto *tensor : {&c->data->d2tau_dqdq, &c->data->d2tau_dvdv, &c->data->d2tau_dqdv,
                         &c->data->d2tau_dadq}) {
        tensor->resize(0, 0, 0);
    }
    c->convention = world ? pin::Convention::WORLD : pin::Convention::LOCAL;
    c->none = Vector::Zero(c->model.nv);
    return c;
}

extern "C" void peer_free(Context *c)
{
    delete c;
}

extern "C" int peer_forward(const double *q, const double *v, const double *tau, double *a, Context *c)
{
    const auto nq = c->model.nq, nv = c->model.nv;
    Out(a, nv) = pin::aba(c->model, *c->data, In(q, nq), In(v, nv), In(tau, nv), c->convention);
    return 0;
}

extern "C" int peer_inverse(const double *q, const double *v, const double *a, double *tau, Context *c)
{
    const auto nq = c->model.nq, nv = c->model.nv;
    Out(tau, nv) = pin::rnea(c->model, *c->data, In(q, nq), In(v, nv), In(a, nv));
    return 0;
}

// By rows, which is by columns.
extern "C" int peer_mass(const double *q, const double *, const double *, double *m, Context *c)
{
    const auto nq = c->model.nq, nv = c->model.nv;
    pin::crba(c->model, *c->data, In(q, nq), c->convention);
    Eigen::Map<Square> whole(m, nv, nv);
    whole = c->data->M.selfadjointView<Eigen::Upper>();
    return 0;
}

// da/dq, da/dv, da/dtau, each by rows.
extern "C" int peer_derivatives(
    const double *q, const double *v, const double *tau, double *d, Context *c)
{
    const auto nq = c->model.nq, nv = c->model.nv;
    pin::computeABADerivatives(c->model, *c->data, In(q, nq), In(v, nv), In(tau, nv));
    Eigen::Map<Square>(d, nv, nv) = c->data->ddq_dq;
    Eigen::Map<Square>(d + nv * nv, nv, nv) = c->data->ddq_dv;
    Eigen::Map<Square> inverse(d + 2 * nv * nv, nv, nv);
    inverse = c->data->Minv;
    inverse.triangularView<Eigen::StrictlyLower>() =
        inverse.transpose().triangularView<Eigen::StrictlyLower>();
    return 0;
}

// Hinges with one coordinate each: q and v are vectors.
extern "C" int peer_rk4(double *q_, double *v_, double dt, long steps, Context *c)
{
    const auto n = c->model.nv;
    Out q(q_, n), v(v_, n);
    Vector a1(n), a2(n), a3(n), a4(n), v2(n), v3(n), v4(n);
    const auto a = [c](const auto &q, const auto &v) -> const Vector & {
        return pin::aba(c->model, *c->data, q, v, c->none, c->convention);
    };
    for (long k = 0; k < steps; k++) {
        a1 = a(q, v);
        v2 = v + dt / 2 * a1;
        a2 = a(Vector(q + dt / 2 * v), v2);
        v3 = v + dt / 2 * a2;
        a3 = a(Vector(q + dt / 2 * v2), v3);
        v4 = v + dt * a3;
        a4 = a(Vector(q + dt * v3), v4);
        q += dt / 6 * (v + 2 * v2 + 2 * v3 + v4);
        v += dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return 0;
}
