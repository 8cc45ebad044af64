/// The sorts of faults that a chaos run causes, by their names on the command line.
enum ChaosFault: String, CaseIterable, Hashable, Sendable {
    /// A link goes down: connections are closed, new ones refused.
    case drop
    /// What passes a link comes later.
    case delay
    /// A link's connections are reset.
    case reset
    /// A link swallows what passes, in one direction or both.
    case blackhole
    /// A link's data comes in pieces of a few bytes.
    case slice
    /// A link is cut in the middle of a message.
    case cut
    /// A link's messages come twice.
    case duplicate
    /// Bytes on a link are changed. Not part of a run unless asked for: without keys nothing
    /// tells a changed letter in a report from the right one.
    case corrupt
    /// A process is killed, and started again.
    case kill
    /// A process stands still for a while.
    case stop
    /// A presenter without a journal is killed as well. Not part of a run unless asked for: its
    /// decisions are gone with it.
    case killPresenter = "kill-presenter"

    /// What `all` stands for, and what a run has that names no faults.
    static let standard = allCases.filter { $0 != .corrupt && $0 != .killPresenter }
    static let onLinks: [ChaosFault] = [
        .drop, .delay, .reset, .blackhole, .slice, .cut, .duplicate, .corrupt,
    ]
    private static let all = "all"
    static var allowed: String { ([all] + allCases.map(\.rawValue)).joined(separator: ", ") }

    /// Reads a list such as `drop,kill` or `all,corrupt`.
    static func read(_ text: String) throws(Failure) -> [ChaosFault] {
        var faults: [ChaosFault] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            let named = ChaosFault(rawValue: String(name)).map { [$0] }
            guard let kinds = name == all ? standard : named else {
                throw Failure(.usage, "--faults: found \"\(name)\", allowed: \(allowed)")
            }
            faults += kinds.filter { !faults.contains($0) }
        }
        return faults
    }
}
