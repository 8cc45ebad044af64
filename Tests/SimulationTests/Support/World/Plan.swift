@testable import ErrorBus

/// Everything that will be done to a world, made from a seed alone. A value, so that a failing one
/// can be made smaller.
struct Plan: Sendable {
    enum Role: String, Sendable { case presenter, relay, origin, requester, bare }

    struct Node: Sendable {
        let name: NodeName
        let role: Role
        /// In order of preference.
        let parents: [NodeName]
    }

    struct Presentation: Sendable {
        let time: UInt64
        let origin: NodeName
        let deadline: UInt64?
        /// The origin gives up after this long without contact.
        let grace: UInt64?
        /// A new life of the origin asks again under the same id.
        let isKept: Bool
    }

    struct Fault: Sendable {
        enum Kind: Sendable {
            /// Dies in the middle of what it does: after so many more actions.
            case crash(NodeName, actions: Int, downFor: UInt64)
            case shutDown(NodeName, downFor: UInt64)
            case freeze(NodeName, lasts: UInt64)
            case cut(link: Int, SimulatedNetwork.Cut, lasts: UInt64)
            case reset(link: Int)
            case clog(link: Int, SimulatedNetwork.Direction, lasts: UInt64)
            case wallClockJump(NodeName, by: Int64)
            case flood(NodeName, count: Int)
            /// Somebody says what is not theirs to say.
            case forge(NodeName, Forgery, UInt64)
        }

        enum Forgery: Sendable, CaseIterable {
            case answerFromBelow, settledBySibling, withdrawBySibling, presentFromAbove
        }

        let time: UInt64
        let kind: Kind
    }

    let seed: UInt64
    var profile = Profile()
    var nodes: [Node] = []
    var presentations: [Presentation] = []
    var faults: [Fault] = []

    /// Each child with each of its parents.
    var links: [(child: NodeName, parent: NodeName)] {
        nodes.flatMap { node in node.parents.map { (node.name, $0) } }
    }
}
