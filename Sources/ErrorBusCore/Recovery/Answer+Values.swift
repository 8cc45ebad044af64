// The values of an option's fields, and the comment. They travel in the payload of ANSWER, which
// relays leave alone.
extension Answer {
    /// Why the answer was given, in the words of its author; nil without a comment. Untrusted text
    /// of at most ``ErrorReport/Limits/commentByteCount``, which may have several lines. Not
    /// escaped.
    public var comment: String? { given.comment }

    /// The values for the fields of the chosen option, checked, with the defaults of those that
    /// were not given. For attempters of your own: the options of this library check themselves.
    ///
    /// - Throws: ``FieldFault`` for the first value that is missing or does not fit its field. The
    ///   attempt must not run then: return ``AttemptResult/badValue(_:)``.
    public func values(for option: ErrorReport.Option) throws(FieldFault) -> FieldValues {
        try GivenValues(payload: extras.payload).checked(for: option.fields)
    }

    /// The answer with its values checked, and with the defaults of those that were not given: what
    /// a person saw is what travels.
    package func filled(for fields: [ErrorReport.Field]) throws(FieldFault) -> Answer {
        if fields.isEmpty, extras.payload.isEmpty { return self }
        var given = try GivenValues(payload: extras.payload)
        if fields.isEmpty, given.isEmpty { return self }
        let checked = try given.checked(for: fields).given
        (given.values, given.secrets) = (checked.values, checked.secrets)
        var answer = self
        answer.extras.payload = given.payload
        return answer
    }

    /// Its values as they travel; none where they cannot be read, which its owner refuses.
    package var given: GivenValues {
        (try? GivenValues(payload: extras.payload)) ?? GivenValues()
    }

    /// An answer from a store.
    ///
    /// - Parameter values: What ``storedValues`` was.
    package init(
        id: UniqueID, option: String, by: String, via: Via, second: String?, stored values: [UInt8]
    ) {
        self.init(id: id, option: option, by: by, via: via, second: second)
        extras.payload = values
    }

    /// Its values and its comment for a store: without secrets. Empty without both.
    package var storedValues: [UInt8] { given.withoutSecrets.payload }

    /// The answer for all that stores or shows it: with the names of its secrets alone.
    package var withoutSecrets: Answer {
        changingValues { $0.secrets.isEmpty ? $0 : $0.withoutSecrets }
    }

    /// The answer for those that do not carry it out.
    var withoutValues: Answer { changingValues { $0.isEmpty ? $0 : $0.withoutValues } }

    /// Whether it was stored without its secrets, so that it cannot be carried out.
    package var lacksSecrets: Bool { !given.withheld.isEmpty }

    /// Whether the other answer has the same values and comment, as far as they are known without
    /// secrets.
    func hasValues(of other: Answer) -> Bool {
        extras.payload == other.extras.payload
            || withoutSecrets.extras.payload == other.withoutSecrets.extras.payload
    }

    private func changingValues(_ change: (GivenValues) -> GivenValues) -> Answer {
        guard !extras.payload.isEmpty, let given = try? GivenValues(payload: extras.payload)
        else { return self }
        let changed = change(given)
        guard changed != given else { return self }
        var answer = self
        answer.extras.payload = changed.payload
        return answer
    }
}
