/// Two attempters as one: the added one's options are run by it, all others by the one below.
/// hectr/ErrorKit chains attempters by index; by id a moved option still finds its owner.
public struct CombinedAttempter: RecoveryAttempter {
    /// Where added options stand.
    public enum Place: Sendable {
        case first, last
    }

    private let added: any RecoveryAttempter
    private let place: Place
    private let below: (any RecoveryAttempter)?

    init(_ added: any RecoveryAttempter, place: Place, over below: (any RecoveryAttempter)?) {
        self.added = added
        self.place = place
        self.below = below
    }

    public var options: [ErrorReport.Option] {
        let mine = added.options
        let others = (below?.options ?? []).filter { other in
            !mine.contains { $0.id == other.id }
        }
        return place == .first ? mine + others : others + mine
    }

    public func attemptRecovery(_ answer: Answer) async -> AttemptResult {
        if added.options.contains(where: { $0.id == answer.option }) {
            return await added.attemptRecovery(answer)
        }
        return await below?.attemptRecovery(answer) ?? .noAttempter
    }
}
