/// A defect of today's nodes that a checker finds, in the worlds where it may. Every run prints it;
/// a run of the standard seeds in which it does not happen fails, so that the entry goes with the
/// defect.
struct KnownFailure: Sendable {
    let checker: String
    let defect: String
    /// In so few seeds that not to meet it says nothing.
    var isRare = false
    let mayHappen: @Sendable (Plan) -> Bool

    static let all: [KnownFailure] = [
        KnownFailure(
            checker: "inbox-true",
            defect: "an inbox goes on showing an answer as given that could not be recorded before "
                + "its presentation was withdrawn"
        ) { plan in
            if case .fullDisk = plan.feature { true } else { false }
        }
    ]

    /// The place in ``all`` of what `checker` is known to find in `plan`; nil when it is news.
    static func index(of checker: String, in plan: Plan) -> Int? {
        all.firstIndex { $0.checker == checker && $0.mayHappen(plan) }
    }
}
