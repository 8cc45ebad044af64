/// The life of one prompt: open, then answered once or closed without an answer. The only place
/// that decides which answer counts.
package struct PromptMachine: Hashable, Sendable {
    /// The end of the prompt, set once; nil while the prompt is open.
    package private(set) var ending: PromptEnding?
    /// The answers that came in time and are held for an undo, in the order given: each of several
    /// presenters may hold one.
    package private(set) var held: [Answer] = []
    private let offered: [String]
    /// The ids of options that need a signature which this node cannot give.
    private let unsignable: Set<String>
    /// The ids of options that two people have to choose.
    private let twoPeople: Set<String>
    /// The fields of the options that ask for values.
    private let fields: [String: [ErrorReport.Field]]

    package init(
        offered: [String], unsignable: Set<String> = [], twoPeople: Set<String> = [],
        fields: [String: [ErrorReport.Field]] = [:]
    ) {
        self.fields = fields
        self.offered = offered
        self.unsignable = unsignable
        self.twoPeople = twoPeople
    }

    /// The answer that counts; nil while there is none.
    package var answer: Answer? {
        if case .answered(let answer) = ending { answer } else { nil }
    }

    /// An answer was given. Returns the answer that counts, with defaults in place of missing
    /// values. The same answer again, by id, option and values, returns the recorded one (A23).
    package mutating func answered(_ answer: Answer) throws(AnswerRefusal) -> Answer {
        switch ending {
        case nil:
            guard offered.contains(answer.option) else {
                throw .notOffered(option: answer.option, offered: offered)
            }
            guard !unsignable.contains(answer.option) else {
                throw .cannotSign(option: answer.option)
            }
            guard !twoPeople.contains(answer.option) || answer.isOfTwoPeople else {
                throw .needsTwoPeople(option: answer.option)
            }
            let filled = try filled(answer)
            ending = .answered(filled)
            return filled
        case .answered(let earlier):
            guard earlier.id == answer.id, earlier.option == answer.option,
                earlier.hasValues(of: (try? filled(answer)) ?? answer)
            else {
                throw .alreadyAnswered(earlier)
            }
            return earlier
        case .closed(let reason):
            throw .closed(reason)
        }
    }

    /// The reason why this node takes an option from no single person, whatever the values; nil if
    /// it does.
    package func refusal(ofOnePersons option: String) -> AnswerRefusal? {
        if unsignable.contains(option) { return .cannotSign(option: option) }
        return twoPeople.contains(option) ? .needsTwoPeople(option: option) : nil
    }

    /// The answer with its values checked, and with defaults.
    private func filled(_ answer: Answer) throws(AnswerRefusal) -> Answer {
        do throws(FieldFault) {
            return try answer.filled(for: fields[answer.option] ?? [])
        } catch {
            throw .badValue(option: answer.option, error)
        }
    }

    /// Holds an answer so that it can be undone.
    package mutating func hold(_ answer: Answer) { held.append(answer) }

    /// A held answer was undone; the answers that other presenters hold stay. False when the prompt
    /// has ended: this answer may be the one that counts.
    package mutating func undone(_ answer: UniqueID) -> Bool {
        guard ending == nil else { return false }
        held.removeAll { $0.id == answer }
        return true
    }

    /// The prompt ended without an answer. False when it was answered or closed before: that end
    /// stands, and so does the first held answer when the deadline passes.
    package mutating func ended(_ reason: Outcome.Reason) -> Bool {
        guard ending == nil else { return false }
        if reason == .expired, let first = held.first {
            ending = .answered(first)
            return false
        }
        ending = .closed(reason)
        return true
    }
}

/// The end of one prompt. Indirect: calls that wait keep it.
package indirect enum PromptEnding: Hashable, Sendable {
    case answered(Answer)
    /// Ended without an answer; `declined` when its presenters left it to the next responder.
    case closed(Outcome.Reason)
}

/// The reason why an answer was refused. The prompt is unchanged.
public enum AnswerRefusal: Error, Hashable, Sendable {
    /// The report does not offer this option.
    case notOffered(option: String, offered: [String])
    /// The option needs the signature of this node, which is no signer of its topology.
    case cannotSign(option: String)
    /// The option needs two people, whom only a console with users knows.
    case needsTwoPeople(option: String)
    /// A value is missing, or does not fit its field.
    case badValue(option: String, FieldFault)
    /// The prompt is already answered.
    case alreadyAnswered(Answer)
    /// The prompt has ended: withdrawn by its origin, expired, ...
    case closed(Outcome.Reason)
}

extension AnswerRefusal {
    /// Whether the prompt had ended: a race, and no fault of the presenter.
    package var isTooLate: Bool {
        switch self {
        case .alreadyAnswered, .closed: true
        case .notOffered, .cannotSign, .needsTwoPeople, .badValue: false
        }
    }
}

extension AnswerRefusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notOffered(let option, let offered):
            "option \"\(option)\" is not offered; offered: \(offered.joined(separator: ", "))"
        case .cannotSign(let option):
            "option \"\(option)\" needs a signature, and this node gives none; answer it at a node "
                + "that `signers` of the topology names, or name this one"
        case .needsTwoPeople(let option):
            "option \"\(option)\" needs two people who have signed in; answer it at a console "
                + "with users"
        case .badValue(let option, let fault): "option \"\(option)\": \(fault)"
        case .alreadyAnswered(let answer):
            "answered before with \"\(answer.option)\" by \(answer.authors) "
                + "(\(answer.via.rawValue))"
        case .closed(let reason):
            "no longer open: \(reason.words)"
        }
    }
}
