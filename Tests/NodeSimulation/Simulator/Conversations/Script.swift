import ErrorBus

/// A conversation with one node: what its peers say, and what the node has to say then, and when.
///
/// Each is a sentence of docs/wire.md, or of the inbox, with an example. The peers are no nodes:
/// they say what the script has, so that a hop gets what chance seldom brings about, and what has
/// to come of it is known from the script alone.
struct Script: Sendable {
    /// What the node has to do, in one sentence; a failure prints it.
    let rule: String
    let hop: Hop
    /// Speaks for the peers and the people, and throws where the node does something else.
    let play: @Sendable (Talk) async throws -> Void

    init(
        _ rule: String, _ hop: Hop = .relay, _ play: @escaping @Sendable (Talk) async throws -> Void
    ) {
        self.rule = rule
        self.hop = hop
        self.play = play
    }

    static let all: [Script] = [
        greetings, claimEnds, bare, frames, status, journal, callers, owners, relays, stops,
        ownPeople, passing, prompts, recoveries, races, names, losses, answers, lastWordsBelow,
        paths, oneReply, keys, limits, kept, childReturns, claims, inboxAnswers, records,
        proposals, groups, reading, inboxReturns, rules, ruleActions, silences, equalErrors,
        fieldValues, inboxPrompts, inboxEdges, groupEnds, ruleEdges, inboxOwners, uplinks,
        refusals, resending, decisions, rooms, unread, moves, lostWays, lastWordsUp, releases,
        linkStates, crossings, movedClients, preventedRules, newLinks,
    ].flatMap { $0 }
}

/// The node of a ``Script``.
struct Hop: Sendable {
    /// How many parents it has: ``Talk/up``, ``Talk/second``.
    var parentCount = 1
    /// Whether it has people, at ``Talk/desk``, and a journal.
    var hasPeople = false
    /// The names of nodes that rules pass errors on to.
    var routes: [String] = []
    var settings: @Sendable (inout NodeSettings) -> Void = { _ in }
    var parts: @Sendable (inout NodeParts, Talk) -> Void = { _, _ in }
    var inbox = InboxLimits()

    /// It passes on what comes, to one parent.
    static let relay = Hop()
    /// The same with two parents.
    static let between = Hop(parentCount: 2)
    /// It asks people, and has no parent.
    static let top = Hop(parentCount: 0, hasPeople: true)

    func with(_ change: (inout Hop) -> Void) -> Hop {
        var hop = self
        change(&hop)
        return hop
    }

    /// This node, with settings changed further.
    func set(_ change: @escaping @Sendable (inout NodeSettings) -> Void) -> Hop {
        with { [before = settings] hop in
            hop.settings = { settings in
                before(&settings)
                change(&settings)
            }
        }
    }

    /// This node, with parts changed further.
    func made(_ change: @escaping @Sendable (inout NodeParts, Talk) -> Void) -> Hop {
        with { [before = parts] hop in
            hop.parts = { parts, talk in
                before(&parts, talk)
                change(&parts, talk)
            }
        }
    }
}

/// The reason why a script failed.
struct Misspoken: Error, CustomStringConvertible {
    let description: String
}
