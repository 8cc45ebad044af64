/// One fault of a schedule: what happens to whom, from when to when after the start.
struct ScheduledFault: Hashable, Sendable {
    enum Action: Hashable, Sendable {
        case down
        case toxics([Toxic])
        /// Killed at the beginning, started again at the end.
        case kill
        /// Stopped at the beginning, continued at the end.
        case stop
    }

    let fault: ChaosFault
    /// The name of a link or of a node.
    let target: String
    let start: Duration
    let end: Duration
    let action: Action
}
