/// The recorded decision about one presentation: which option, who chose it, and how.
///
/// Made by a ``Prompt`` (a person, a policy) or read from the wire; the same answer travels down
/// the whole path, so every hop can tell "this answer again" from "another answer".
public struct Answer: Hashable, Sendable {
    /// How the decision came about.
    public enum Via: String, Sendable, CaseIterable {
        case person, policy, expiry, handler
    }

    /// What else a process above said with its answer. Nothing here reads it; it travels down to
    /// the origin as it came.
    struct Extras: Hashable, Sendable {
        struct Field: Hashable, Sendable {
            let name: String
            let value: String
        }

        var fields: [Field] = []
        var payload: [UInt8] = []
    }

    /// The longest `by`, in Unicode scalars; longer text is cut.
    public static let byScalarCountMax = 256

    /// Names this decision; a resent answer keeps it.
    public let id: UniqueID
    /// The id of the chosen option; empty where a process above dealt with the error without one,
    /// which no attempter and no caller sees.
    public let option: String
    /// Who decided: a person's name, a policy and its rule, a node.
    public let by: String
    public let via: Via
    var extras = Extras()
    /// It came over the wire: a process above decided it, and keeps what comes of it.
    var isFromAbove = false
    /// Set when it was dealt with above: nothing is attempted below.
    var didRecover: Bool?
    /// The reason that a process above gave, as an ``Outcome/Reason`` or a word of its own.
    var reason: String?

    /// An answer that a prompt takes is made by it; this one is for tests of attempters.
    ///
    /// - Parameters:
    ///   - id: A new one unless given.
    ///   - option: The id of the chosen option.
    ///   - by: Who decides.
    public init(
        id: UniqueID = PresentationID.make().value, option: String, by: String, via: Via
    ) {
        self.id = id
        self.option = option
        self.by = by.cut(toScalars: Self.byScalarCountMax)
        self.via = via
    }
}

extension Answer {
    /// As ANSWER has it.
    init(
        id: UniqueID, option: String?, by: String, via: Via, didRecover: Bool? = nil,
        reason: String? = nil, extras: Extras = Extras()
    ) {
        self.init(id: id, option: option ?? "", by: by, via: via)
        self.didRecover = didRecover
        self.reason = reason
        self.extras = extras
    }

    /// The option; nil where a process above dealt with the error without one.
    var chosen: String? { option.isEmpty ? nil : option }

    /// Without what the processes on the way say to each other.
    var plain: Answer {
        var answer = self
        answer.isFromAbove = false
        answer.didRecover = nil
        answer.reason = nil
        return answer
    }

    /// What a peer that asks again gets once the answer was carried out: its result, never the
    /// option again (rule 1). Nil while there is no result, or one of another asking.
    func told(_ result: RecoveryResult) -> Answer? {
        var answer = self
        switch result {
        case .recovered: answer.didRecover = true
        case .failed: answer.didRecover = false
        case .late, .withdrawn, .invalid, .unknown: return nil
        }
        return answer
    }
}
