// The values of an option's fields, and the comment. They travel in the payload of ANSWER, which
// relays leave alone.
extension Answer {
    /// The reason for the answer, in the words of its author; nil without a comment. Untrusted text
    /// of at most ``ErrorReport/Limits/commentByteCount``, which may have several lines. Not
    /// escaped.
    public var comment: String? { given.comment }

    /// The values for the fields of the chosen option, checked, with defaults in place of missing
    /// values. For attempters of your own: the options of this library check the values themselves.
    ///
    /// - Throws: ``FieldFault`` for the first value that is missing or does not fit its field. The
    ///   attempt must not run then: return ``AttemptResult/badValue(_:)``.
    public func values(for option: ErrorReport.Option) throws(FieldFault) -> FieldValues {
        try GivenValues(payload: extras.payload).checked(for: option.fields)
    }

    /// The answer with its values checked, and with defaults in place of missing values: a person
    /// saw the same values as the option's owner gets.
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

    /// The values of the answer as they travel; none if they cannot be read, which the owner
    /// refuses.
    package var given: GivenValues {
        (try? GivenValues(payload: extras.payload)) ?? GivenValues()
    }

    /// An answer from a store.
    ///
    /// - Parameter values: The former ``storedValues``.
    package init(
        id: UniqueID, option: String, by: String, via: Via, second: String?, stored values: [UInt8]
    ) {
        self.init(id: id, option: option, by: by, via: via, second: second)
        extras.payload = values
    }

    /// The values and the comment for a store, without secrets; empty without both.
    package var storedValues: [UInt8] { given.withoutSecrets.payload }

    /// The answer for everything that stores or shows it: with only the names of its secrets.
    package var withoutSecrets: Answer {
        changingValues { $0.secrets.isEmpty ? $0 : $0.withoutSecrets }
    }

    /// The answer for processes that do not carry it out.
    package var withoutValues: Answer { changingValues { $0.isEmpty ? $0 : $0.withoutValues } }

    /// Whether the answer was stored without its secrets, so that no owner can carry it out.
    package var lacksSecrets: Bool { !given.withheld.isEmpty }

    /// Whether the other answer has the same values and comment, as far as these are known without
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
