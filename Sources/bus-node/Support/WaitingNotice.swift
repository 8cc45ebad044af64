import ErrorBus
import Synchronization

/// Tells the person at a terminal what a question waits for, each once.
final class WaitingNotice: Sendable {
    /// A link that comes up sooner is not worth a line.
    private static let linkTime: Duration = .seconds(1)

    private struct Progress {
        var hasLink = false
        var isWaitingForLink = false
        var isAsked = false
    }

    private let progress = Mutex(Progress())
    private let say: @Sendable (String) -> Void

    init(say: @escaping @Sendable (String) -> Void = { Terminal.say("bus-node: " + $0) }) {
        self.say = say
    }

    /// For the options of a presentation.
    var stateChanged: @Sendable (PresentationState) -> Void { { self.moved(to: $0) } }

    private func moved(to state: PresentationState) {
        switch state.station {
        case .unreachable: waitForLink()
        case .relayed: progress.withLock { $0.hasLink = true }
        case .queued, .presented, .claimed:
            let isFirst = progress.withLock { progress in
                defer { (progress.hasLink, progress.isAsked) = (true, true) }
                return !progress.isAsked
            }
            if isFirst {
                say("waiting for an answer" + (state.by.map { " by \($0.shown())" } ?? ""))
            }
        }
    }

    private func waitForLink() {
        let isFirst = progress.withLock { progress in
            defer { progress.isWaitingForLink = true }
            return !progress.isWaitingForLink
        }
        guard isFirst else { return }
        Task {
            try await Task.sleep(for: Self.linkTime)
            if !progress.withLock({ $0.hasLink }) { say("waiting for a link") }
        }
    }
}
