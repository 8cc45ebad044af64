// An ended presentation of a child: its answer and its result, for repeated requests.
extension DownlinkEntry: TableEntry {
    struct Tombstone: Hashable, Sendable {
        let origin: NodeName
        let digest: ReportDigest
        /// The child; nil for a peer without a link.
        let child: NodeName?
        let key: NodeName?
        let generation: Int
        let answer: Answer
        let until: MonotonicTime
        let result: RecoveryResult
    }

    /// The smaller form of an answer whose result is final. A result of `unknown` may be replaced,
    /// and the answer is then sent again; other paths, and a client of one frame, are rare.
    var tombstone: Tombstone? {
        guard case .answered(let delivery) = phase, let result = delivery.result,
            result != .unknown, let until = delivery.until, let origin, let digest,
            otherPaths.isEmpty, !isAwaited, !isBare
        else { return nil }
        return Tombstone(
            origin: origin, digest: digest, child: child, key: key, generation: generation,
            answer: delivery.answer, until: until, result: result)
    }

    init(_ id: PresentationID, _ tombstone: Tombstone) {
        var delivery = Delivery(answer: tombstone.answer, decidedAt: tombstone.until)
        delivery.result = tombstone.result
        delivery.until = tombstone.until
        self.init(
            id: id, origin: tombstone.origin, digest: tombstone.digest,
            asker: tombstone.child.map { .child($0) } ?? .requester(nil), key: tombstone.key,
            phase: .answered(delivery), generation: tombstone.generation,
            askedAt: tombstone.until, standingSince: tombstone.until)
    }
}
