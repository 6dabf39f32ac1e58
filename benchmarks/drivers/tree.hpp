// A tree given by numbers, so that no file is read and nothing of the wheel's compiled code is used.
#pragma once
#include <pinocchio/multibody.hpp>

#include <string>

// Per body 24 numbers: parent, kind (0, 1, 2: about x, y, z; 3: ball; 4: free; 5: slides along z), rotation
// by rows and place of its hinge in the parent's hinge frame, mass, centre, inertia about it (xx xy yy xz yz zz).
inline pinocchio::Model tree(int bodies, const double *numbers, const double *gravity)
{
    namespace pin = pinocchio;
    pin::Model model;
    model.gravity.linear() << gravity[0], gravity[1], gravity[2];
    for (int k = 0; k < bodies; k++) {
        const double *x = numbers + 24 * k;
        Eigen::Matrix3d R, J;
        R << x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10];
        J << x[18], x[19], x[21], x[19], x[20], x[22], x[21], x[22], x[23];
        const pin::SE3 placed(R, Eigen::Vector3d(x[11], x[12], x[13]));
        const auto name = std::to_string(k);
        const auto parent = static_cast<pin::JointIndex>(x[0]);
        pin::JointIndex joint = 0;
        switch (static_cast<int>(x[1])) {
        case 0: joint = model.addJoint(parent, pin::JointModelRX(), placed, name); break;
        case 1: joint = model.addJoint(parent, pin::JointModelRY(), placed, name); break;
        case 2: joint = model.addJoint(parent, pin::JointModelRZ(), placed, name); break;
        case 3: joint = model.addJoint(parent, pin::JointModelSpherical(), placed, name); break;
        case 4: joint = model.addJoint(parent, pin::JointModelFreeFlyer(), placed, name); break;
        default: joint = model.addJoint(parent, pin::JointModelPZ(), placed, name);
        }
        model.appendBodyToJoint(
            joint, pin::Inertia(x[14], Eigen::Vector3d(x[15], x[16], x[17]), J),
            pin::SE3::Identity());
    }
    return model;
}
