import Synchronization

/// What children have asked: hands each to the node's chain as a ``RemoteError``, in a task of its
/// own, and tells the downlink how the chain ended.
final class ChildPresentations: DownlinkHandler {
    /// Presentations whose tasks have not begun. With more, a flood would bury in the tasks of the
    /// process what a good client asks; so the rest waits in the transport's fair lines.
    private static let waitingMax = 128

    private struct Running {
        let generation: Int
        let forwarded: ForwardedPresentation
        let contact: OriginContact
        let task: Task<Void, Never>
    }

    private struct State {
        var running: [PresentationID: Running] = [:]
        /// Weak: the downlink has this as its handler.
        weak var downlink: Downlink?
    }

    private let name: NodeName
    private let chain: any Responder
    /// A responder in the chain reads reports, so that a bad one is refused here.
    private let readsReports: Bool
    private let uplinks: [Uplink]
    /// What this node decided itself.
    private let decisions: Decisions
    private let state = Mutex(State())
    private let waitingCount = Atomic(0)

    init(
        name: NodeName, chain: any Responder, readsReports: Bool, uplinks: [Uplink],
        parts: NodeParts
    ) {
        decisions = Decisions(
            by: name.description, journal: parts.journal, audit: parts.audit, logger: parts.logger)
        self.name = name
        self.chain = chain
        self.readsReports = readsReports
        self.uplinks = uplinks
    }

    /// How many the chain works on.
    var count: Int { state.withLock { $0.running.count } }

    var isReady: Bool { waitingCount.load(ordering: .relaxed) < Self.waitingMax }

    /// Set once, before the downlink listens.
    func setDownlink(_ downlink: Downlink) { state.withLock { $0.downlink = downlink } }

    // The offers' tasks are unstructured because each is cancelled on its own, when its child
    // gives up; they are all cancelled when the node stops.
    func offered(_ offer: DownlinkOffer) {
        let id = offer.present.id
        let forwarded = ForwardedPresentation(offer)
        let contact = OriginContact(isReachable: offer.present.isOriginReachable)
        state.withLock { state in
            guard let downlink = state.downlink else { return }
            state.running[id]?.task.cancel()
            // Detached: an offer inherits nothing from the presentation on whose job it came up.
            waitingCount.add(1, ordering: .relaxed)
            let task = Task.detached { [self] in
                waited(downlink)
                let verdict = await OriginContact.$current.withValue(contact) {
                    await present(offer, forwarded, downlink)
                }
                if let verdict {
                    downlink.complete(id, generation: offer.generation, verdict: verdict)
                }
                ended(id, generation: offer.generation)
            }
            state.running[id] = Running(
                generation: offer.generation, forwarded: forwarded, contact: contact, task: task)
        }
    }

    /// One that was waiting does so no longer.
    private func waited(_ downlink: Downlink) {
        let count = waitingCount.subtract(1, ordering: .relaxed).newValue
        if count == Self.waitingMax - 1 { downlink.transport.nudge(downlink) }
    }

    func cancelled(_ id: PresentationID, generation: Int, reason: DownlinkAction.Outcome) {
        let running = state.withLock { $0.running[id] }
        guard let running, running.generation == generation else { return }
        running.forwarded.cancelled(reason)
        running.task.cancel()
    }

    /// The prompt here says so, and so does the one that an upper node may show.
    func reachable(_ id: PresentationID, _ isReachable: Bool) {
        state.withLock { $0.running[id] }?.contact.set(isReachable)
        // Whichever does not have it does nothing.
        for uplink in uplinks { uplink.setReachable(id, isReachable) }
    }

    func settledLater(_ id: PresentationID, _ answer: Answer, _ result: RecoveryResult) {
        if answer.isFromAbove {
            for uplink in uplinks { uplink.settle(id, answer: answer.id, result: result) }
        } else {
            Task { await decisions.settled(id, answer, result) }
        }
    }

    func passOn(_ settled: Message.Settled) {
        for uplink in uplinks { uplink.passOn(settled) }
        guard let asked = settled.asked else { return }
        consult {
            await $0.settledBefore(
                settled.id, settled.answer, settled.result, of: asked.origin, asked.digest)
        }
    }

    func passOnWithdrawal(of id: PresentationID, _ asked: Message.Asked) {
        for uplink in uplinks { uplink.passOnWithdrawal(of: id, asked) }
        consult { await $0.withdrawnBefore(id, of: asked.origin, asked.digest) }
    }

    /// Asks the journal about what this life of the node knows nothing of. Any peer can cause that:
    /// it counts as waiting until it is done.
    private func consult(_ work: @escaping @Sendable (Decisions) async -> Void) {
        guard decisions.areRecorded, let downlink = state.withLock(\.downlink) else { return }
        waitingCount.add(1, ordering: .relaxed)
        Task { [decisions] in
            await work(decisions)
            waited(downlink)
        }
    }

    func withdrawnForGood(_ id: PresentationID) {
        for uplink in uplinks { uplink.withdrawForGood(id) }
    }

    private func ended(_ id: PresentationID, generation: Int) {
        state.withLock { state in
            if state.running[id]?.generation == generation { state.running[id] = nil }
        }
    }

    private func present(
        _ offer: DownlinkOffer, _ forwarded: ForwardedPresentation, _ downlink: Downlink
    ) async -> DownlinkVerdict? {
        let present = offer.present
        let payload = present.payloadFromBelow
        let reading = ReportReading(payload)
        if readsReports, case .failure(let error) = reading.reading {
            return .refused(.malformed, "report: \(error)")
        }
        let error = RemoteError(
            payload: payload,
            remote: RemoteAttempter(
                reading: reading, downlink: downlink, id: present.id,
                generation: offer.generation))
        let context = PresentationContext(
            id: present.id, retryOf: present.retryOf,
            deadline: offer.deadline.map { downlink.transport.instant(of: $0) },
            stateChanged: { state in
                downlink.move(
                    present.id, generation: offer.generation, to: .init(state.station),
                    by: state.by)
            })
        let origin = PresentedOrigin(
            origin: present.origin, path: present.path, digest: present.digest)
        let outcome = await ForwardedPresentation.$current.withValue(forwarded) {
            await PresentedOrigin.$current.withValue(origin) {
                await chain.receive(error, in: context)
            }
        }
        return DownlinkVerdict(outcome, id: present.id, node: name)
    }
}

extension Transport {
    /// A moment of the transport's clock as one of the clock that chains wait on.
    func instant(of time: MonotonicTime) -> ContinuousClock.Instant {
        .now + .milliseconds(Int64(clamping: time.since(now)))
    }
}
