// Answers contact questions with coal, and times itself. Reads from standard input, words apart by white space:
//
//   set BODY BODY N, then N times x y z and w x y z    the bodies, and b's position and quaternion seen from a
//   time QUESTION BEGIN END PASSES                     answers pairs BEGIN to END so many times, prints CPU nanoseconds
//   answer QUESTION                                    prints a line for every pair: separation and normal, or `apart`
//
// BODY is `sphere r`, `cylinder r height`, `ellipsoid a b c`, `box a b c` (half lengths) or `hull nv nt` with the vertices
// and triangles. QUESTION is `contact` (bodies apart need no distance) or `distance` (signed, always). Ends with the input.

#include <cstdio>
#include <ctime>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <coal/collision.h>
#include <coal/distance.h>
#include <coal/shape/convex.h>
#include <coal/shape/geometric_shapes.h>

namespace {

template <typename Value>
Value read() {
    Value value;
    if (!(std::cin >> value)) throw std::runtime_error("the input is not what was expected");
    return value;
}

coal::Vec3s read_vector() {
    const double x = read<double>(), y = read<double>(), z = read<double>();
    return {x, y, z};
}

std::unique_ptr<coal::CollisionGeometry> read_hull() {
    const unsigned n_vertices = read<unsigned>(), n_triangles = read<unsigned>();
    auto vertices = std::make_shared<std::vector<coal::Vec3s>>();
    for (unsigned i = 0; i < n_vertices; ++i) vertices->push_back(read_vector());
    auto triangles = std::make_shared<std::vector<coal::Triangle>>();
    for (unsigned i = 0; i < n_triangles; ++i) {
        const unsigned a = read<unsigned>(), b = read<unsigned>(), c = read<unsigned>();
        triangles->emplace_back(a, b, c);
    }
    return std::make_unique<coal::Convex<coal::Triangle>>(vertices, n_vertices, triangles, n_triangles);
}

std::unique_ptr<coal::CollisionGeometry> read_shape() {
    const auto kind = read<std::string>();
    if (kind == "sphere") return std::make_unique<coal::Sphere>(read<double>());
    if (kind == "cylinder") {
        const double radius = read<double>(), height = read<double>();
        return std::make_unique<coal::Cylinder>(radius, height);
    }
    if (kind == "ellipsoid") return std::make_unique<coal::Ellipsoid>(read_vector());
    if (kind == "box") return std::make_unique<coal::Box>(2.0 * read_vector());
    if (kind == "hull") return read_hull();
    throw std::runtime_error("unknown shape " + kind);
}

bool read_question_is_distance() {
    const auto question = read<std::string>();
    if (question != "contact" && question != "distance") throw std::runtime_error("unknown question " + question);
    return question == "distance";
}

// Time this thread has had of a processor [ns].
double cpu_nanoseconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

// A set of pairs. The objects that coal recommends for many questions about the same two bodies look up the algorithm and
// allocate once.
class Set {
public:
    Set() : a_(read_shape()), b_(read_shape()), collide_(a_.get(), b_.get()), measure_(a_.get(), b_.get()) {
        const auto n_pairs = read<std::size_t>();
        for (std::size_t i = 0; i < n_pairs; ++i) {
            const coal::Vec3s position = read_vector();
            const double w = read<double>();
            const coal::Vec3s imaginary = read_vector();
            const Eigen::Quaterniond orientation(w, imaginary.x(), imaginary.y(), imaginary.z());
            poses_.emplace_back(orientation.toRotationMatrix(), position);
        }
        // The search begins along the line of centres, as parry's does, which is quicker than coal's default of x; for this
        // the shapes need their boxes.
        for (auto* shape : {a_.get(), b_.get()}) shape->computeLocalAABB();
        contact_request_.gjk_initial_guess = coal::GJKInitialGuess::BoundingVolumeGuess;
        distance_request_.gjk_initial_guess = coal::GJKInitialGuess::BoundingVolumeGuess;
        // A gap above this need not be known: the search may end as soon as the bodies are known to be apart.
        contact_request_.distance_upper_bound = 0.0;
    }

    std::size_t size() const { return poses_.size(); }

    void contact(std::size_t index) {
        contact_.clear();
        collide_(origin_, poses_.at(index), contact_request_, contact_);
    }

    void distance(std::size_t index) {
        distance_.clear();
        measure_(origin_, poses_.at(index), distance_request_, distance_);
    }

    void print_contact(std::size_t index) {
        contact(index);
        if (contact_.isCollision()) {
            print(contact_.getContact(0).penetration_depth, contact_.getContact(0).normal);
        } else {
            std::puts("apart");
        }
    }

    void print_distance(std::size_t index) {
        distance(index);
        print(distance_.min_distance, distance_.normal);
    }

private:
    static void print(double separation, const coal::Vec3s& normal) {
        std::printf("%.17g %.17g %.17g %.17g\n", separation, normal.x(), normal.y(), normal.z());
    }

    std::unique_ptr<coal::CollisionGeometry> a_, b_;
    coal::ComputeCollision collide_;
    coal::ComputeDistance measure_;
    coal::Transform3s origin_;
    std::vector<coal::Transform3s> poses_;
    coal::CollisionRequest contact_request_;
    coal::DistanceRequest distance_request_;
    coal::CollisionResult contact_;
    coal::DistanceResult distance_;
};

void pass(Set& set, bool is_distance, std::size_t begin, std::size_t end) {
    for (std::size_t index = begin; index < end; ++index) {
        if (is_distance) {
            set.distance(index);
        } else {
            set.contact(index);
        }
    }
}

void time(Set& set) {
    const bool is_distance = read_question_is_distance();
    const auto begin = read<std::size_t>(), end = read<std::size_t>(), passes = read<std::size_t>();
    // One pass that does not count: this process has just been woken, perhaps on another core, with cold caches, which the
    // solvers inside the benchmark's own process are spared.
    pass(set, is_distance, begin, end);
    const double before = cpu_nanoseconds();
    for (std::size_t i = 0; i < passes; ++i) pass(set, is_distance, begin, end);
    std::printf("%.0f\n", cpu_nanoseconds() - before);
}

void answer(Set& set) {
    const bool is_distance = read_question_is_distance();
    for (std::size_t index = 0; index < set.size(); ++index) {
        if (is_distance) {
            set.print_distance(index);
        } else {
            set.print_contact(index);
        }
    }
}

void serve() {
    std::unique_ptr<Set> set;
    std::string command;
    while (std::cin >> command) {
        if (command == "set") {
            set = std::make_unique<Set>();
        } else if (!set) {
            throw std::runtime_error("no set yet");
        } else if (command == "time") {
            time(*set);
        } else if (command == "answer") {
            answer(*set);
        } else {
            throw std::runtime_error("unknown command " + command);
        }
        std::fflush(stdout);
    }
}

}  // namespace

int main() {
    std::ios::sync_with_stdio(false);
    try {
        serve();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "coal: %s\n", error.what());
        return 1;
    }
    return 0;
}
