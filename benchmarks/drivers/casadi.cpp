// Pinocchio's algorithms traced with CasADi's symbols and written as C.
#include <pinocchio/autodiff/casadi.hpp>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <cstring>
#include <string>

#include "tree.hpp"

namespace pin = pinocchio;
using casadi::SX;
using Vector = Eigen::Matrix<SX, Eigen::Dynamic, 1>;
using Matrix = Eigen::Matrix<SX, Eigen::Dynamic, Eigen::Dynamic>;

static Vector vector(const SX &x)
{
    Vector v(x.size1());
    for (Eigen::Index i = 0; i < v.size(); i++) {
        v[i] = x(static_cast<casadi_int>(i));
    }
    return v;
}

static SX column(const Vector &v)
{
    SX x(v.size(), 1);
    for (Eigen::Index i = 0; i < v.size(); i++) {
        x(static_cast<casadi_int>(i)) = v[i];
    }
    return x;
}

// The upper triangle as both.
static Matrix symmetric(Matrix m)
{
    for (Eigen::Index i = 0; i < m.rows(); i++) {
        for (Eigen::Index j = 0; j < i; j++) {
            m(i, j) = m(j, i);
        }
    }
    return m;
}

// By rows.
static SX rows(const Matrix &m)
{
    SX x(m.size(), 1);
    for (Eigen::Index i = 0; i < m.rows(); i++) {
        for (Eigen::Index j = 0; j < m.cols(); j++) {
            x(static_cast<casadi_int>(i * m.cols() + j)) = m(i, j);
        }
    }
    return x;
}

static SX traced(const char *entry, int world, const pin::Model &numeric, SX q, SX v, SX u)
{
    const pin::ModelTpl<SX> model = numeric.cast<SX>();
    pin::DataTpl<SX> data(model);
    const auto convention = world ? pin::Convention::WORLD : pin::Convention::LOCAL;
    const Vector Q = vector(q), V = vector(v), U = vector(u);
    if (std::strcmp(entry, "inverse") == 0) {
        return column(pin::rnea(model, data, Q, V, U));
    }
    if (std::strcmp(entry, "mass") == 0) {
        return rows(symmetric(pin::crba(model, data, Q, convention)));
    }
    if (std::strcmp(entry, "derivatives") == 0) { // Pinocchio's own derivatives
        pin::computeABADerivatives(model, data, Q, V, U);
        return vertcat(rows(data.ddq_dq), rows(data.ddq_dv), rows(symmetric(data.Minv)));
    }
    const SX a = column(pin::aba(model, data, Q, V, U, convention));
    if (std::strcmp(entry, "forward") == 0) {
        return a;
    }
    // CasADi's derivative of Pinocchio's forward dynamics
    SX found;
    for (const SX &x : {q, v, u}) {
        found = vertcat(found, SX::vec(SX::densify(jacobian(a, x)).T()));
    }
    return found;
}

// Writes the C file; counts[0..2]: multiplications, additions and subtractions, divisions.
extern "C" int peer_trace(
    const char *entry, int world, int bodies, const double *numbers, const double *gravity,
    const char *file, double *counts)
try {
    const pin::Model model = tree(bodies, numbers, gravity);
    const SX q = SX::sym("q", model.nq), v = SX::sym("v", model.nv), u = SX::sym("u", model.nv);
    casadi::Function f("traced", {q, v, u}, {SX::densify(traced(entry, world, model, q, v, u))});
    for (casadi_int k = 0; k < f.n_instructions(); k++) {
        switch (f.instruction_id(k)) {
        case casadi::OP_MUL: case casadi::OP_SQ: case casadi::OP_TWICE: counts[0]++; break;
        case casadi::OP_ADD: case casadi::OP_SUB: counts[1]++; break;
        case casadi::OP_DIV: case casadi::OP_INV: counts[2]++; break;
        default: break;
        }
    }
    // CasADi takes no folder: the file is written where the process stands.
    f.generate(file);
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "casadi: %s\n", error.what());
    return 1;
}
