import ErrorBus

// The values that an option asks for.
extension InboxScreen {
    /// The fields of a chosen option, of which one is being typed.
    struct ValueForm: Hashable {
        var question: Question
        var given: [String: JSONValue] = [:]
        var index = 0
        var text = ""
        /// Whether the presentation has ended, so that nothing typed has a meaning until Return or
        /// Esc.
        var isOver = false

        var fields: [ErrorReport.Field] { question.option.fields }
        var field: ErrorReport.Field { fields[index] }
        /// The typed text, as the screen shows it.
        var shownText: String {
            field.isSecret ? String(repeating: "•", count: text.count) : text.shown()
        }
    }

    private static var valueMax: Int { ErrorReport.Limits.valueScalarCount }

    mutating func typed(_ before: ValueForm, _ key: ScreenKey, at now: Moment) -> [Action] {
        var form = before
        if form.isOver {
            if key == .enter || key == .escape { stopAsking() }
            return []
        }
        switch key {
        case .escape:
            stopAsking()
            return []
        case .enter: return entered(form, at: now)
        case .backspace: form.text = String(form.text.dropLast())
        case .control("u"): form.text = ""
        case .character(let character): form.text.append(character)
        case .paste(let text):
            // A secret may have several lines, as a key.
            form.text += form.field.isSecret ? text : String(text.prefix { !$0.isNewline })
        default: return []
        }
        guard form.text.unicodeScalars.count <= Self.valueMax else {
            // Half a value, as of a key, could be taken for a whole one.
            say(
                "at most \(Self.valueMax) characters: nothing was added", .yellow,
                at: now.instant)
            return []
        }
        mode = .values(form)
        return []
    }

    /// Takes a value at Return: the next field follows, or the answer after the last one.
    private mutating func entered(_ before: ValueForm, at now: Moment) -> [Action] {
        var form = before
        let isLast = form.index == form.fields.count - 1
        if isLast, let entry = entries[form.question.id],
            let obstacle = obstacle(
                entry, isGroup: form.question.isWhole, confirming: nil, at: now)
        {
            // What was typed stays, to be sent later.
            say(obstacle, .yellow, at: now.instant)
            return []
        }
        do throws(FieldFault) {
            form.given[form.field.name] = try form.field.taken(form.text)
        } catch {
            say("\(error)".shown(), .yellow, at: now.instant)
            return []
        }
        message = nil
        form.text = ""
        guard isLast else {
            form.index += 1
            mode = .values(form)
            return []
        }
        stopAsking()
        form.question.values = form.given
        return decide(form.question)
    }
}
