/// The recorded decision about one presentation: the option, its author, and how it was made.
///
/// A ``Prompt`` makes the answer (for a person or a policy), or another process sends it. The same
/// answer travels down the whole path; its id lets every hop distinguish a repetition from another
/// answer.
public struct Answer: Hashable, Sendable {
    /// The way in which a decision was made: by a person; by a policy, which is a rule, a silence
    /// or a program; by expiry, with the option declared for it; by a responder that handled the
    /// error.
    public enum Via: String, Sendable, CaseIterable {
        case person, policy, expiry, handler
    }

    /// Further fields that a process above sent with its answer. They travel down to the origin
    /// unchanged. The payload has the values of the option's fields, and the comment.
    package struct Extras: Hashable, Sendable {
        package struct Field: Hashable, Sendable {
            package let name: String
            package let value: String

            package init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }

        package var fields: [Field] = []
        package var payload: [UInt8] = []
    }

    /// The longest `by`, in Unicode scalars; longer text is cut.
    public static let byScalarCountMax = 256

    /// The id of this decision; a resent answer keeps it.
    public let id: UniqueID
    /// The id of the chosen option; empty when a process above handled the error without one. No
    /// attempter and no caller sees an empty one.
    public let option: String
    /// The author: a person's name, a policy and its rule, a node.
    public let by: String
    /// The way in which the decision was made.
    public let via: Via
    /// The person who confirmed the answer, beside ``by`` who proposed it; nil for an answer of
    /// one person.
    public let second: String?
    package var extras = Extras()
    /// Whether a process above decided. That process keeps the result.
    package var isFromAbove = false
    /// Whether this process has checked and carried out the answer, and repeats it with its result.
    package var isRepeatedHere = false
    /// The outcome when a process above handled the error: no attempt runs below.
    package var didRecover: Bool?
    /// The reason that a process above sent: an ``Outcome/Reason`` or a word of its own.
    package var reason: String?

    /// An answer for tests of attempters. In production a prompt makes it.
    ///
    /// - Parameters:
    ///   - id: A new id by default.
    ///   - option: The id of the chosen option.
    ///   - by: The author; cut to ``byScalarCountMax``.
    ///   - via: How the decision was made.
    ///   - second: The person who confirmed it.
    ///   - values: The values of the option's other fields, by name.
    ///   - secrets: The values of the option's secret fields, by name.
    ///   - comment: Why the answer is given; cut to ``ErrorReport/Limits/commentByteCount``.
    public init(
        id: UniqueID = PresentationID.make().value, option: String, by: String, via: Via,
        second: String? = nil, values: [String: JSONValue] = [:],
        secrets: [String: JSONValue] = [:], comment: String? = nil
    ) {
        self.id = id
        self.option = option
        self.by = by.cut(toScalars: Self.byScalarCountMax)
        self.via = via
        self.second = second?.cut(toScalars: Self.byScalarCountMax)
        extras.payload =
            GivenValues(values: values, secrets: secrets, comment: comment).payload
    }
}

extension Answer {
    /// The answer in an ANSWER message.
    package init(
        id: UniqueID, option: String?, by: String, via: Via, second: String? = nil,
        didRecover: Bool? = nil, reason: String? = nil, extras: Extras = Extras()
    ) {
        self.init(id: id, option: option ?? "", by: by, via: via, second: second)
        self.didRecover = didRecover
        self.reason = reason
        self.extras = extras
    }

    /// The option; nil when a process above handled the error without one.
    package var chosen: String? { option.isEmpty ? nil : option }

    /// Whether two different people gave the answer.
    package var isOfTwoPeople: Bool {
        guard via == .person, let second, second != by else { return false }
        return [by, second].allSatisfy { !$0.allSatisfy(\.isWhitespace) }
    }

    /// The people who gave the answer, or the policy or node that did, in words.
    package var authors: String { second.map { "\(by) and \($0)" } ?? by }

    /// The answer without the fields between processes.
    package var plain: Answer {
        var answer = self
        answer.isFromAbove = false
        answer.isRepeatedHere = false
        answer.didRecover = nil
        answer.reason = nil
        return answer
    }

    /// The answer for a peer that repeats its request after the attempt: with the result, never
    /// with the option (docs/wire.md, section 8, rule 2). Nil while the result is unknown or
    /// belongs to another node's attempt.
    package func settled(_ result: RecoveryResult) -> Answer? {
        var answer = self
        answer.isRepeatedHere = true
        switch result {
        case .recovered: answer.didRecover = true
        case .failed: answer.didRecover = false
        case .late, .withdrawn, .invalid, .unknown: return nil
        }
        return answer
    }
}
