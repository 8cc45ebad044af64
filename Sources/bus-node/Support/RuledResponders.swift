import ErrorBus
import Synchronization

/// The responders of one node that follow rules, by where the topology says so.
final class RuledResponders: Sendable {
    enum Place: Hashable, Sendable {
        case responders
        /// The presenter of this index.
        case presenter(Int)
    }

    private let responders = Mutex<[Place: RuleResponder]>([:])

    func add(_ responder: RuleResponder, at place: Place) {
        responders.withLock { $0[place] = responder }
    }

    /// Puts new rules in place of the old. Returns what could not follow, for the log: a list
    /// where there was none, or the other way round, changes the chain itself.
    func replaceRules(with settings: NodeSettings) -> [String] {
        var fresh: [Place: RuleBook] = [:]
        if !settings.responders.isEmpty {
            fresh[.responders] = RuleBook(settings.responders, mode: .everyMatch)
        }
        for (index, presenter) in settings.presenters.enumerated() {
            guard case .policy(_, let rules) = presenter else { continue }
            fresh[.presenter(index)] = RuleBook(rules, mode: .firstMatch)
        }
        return responders.withLock { responders in
            for (place, responder) in responders {
                responder.replaceRules(fresh[place] ?? RuleBook([], mode: .everyMatch))
            }
            return fresh.keys.filter { responders[$0] == nil }.map { "new rules at \($0)" }
        }
    }
}
