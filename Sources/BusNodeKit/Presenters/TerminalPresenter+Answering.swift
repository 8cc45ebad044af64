import ErrorBus

// What a person does at the prompt on the screen: goes to another one, gives values, answers.
extension TerminalPresenter {
    /// Goes to another prompt, opens or joins a group, lists the waiting prompts, keeps a comment,
    /// or writes a note. Answers nothing.
    func perform(_ command: PromptCommand, at first: Waiting) {
        let (before, members) = (queue.shown, shownGroup.members)
        func leave(_ members: some Sequence<PromptGroup.Member>) {
            for member in members { member.text.prompt.moved(to: .queued) }
        }
        switch command {
        case .comment(let text) where text.isComment: comment = text.isEmpty ? nil : text
        case .comment(let text):
            Terminal.say(
                "  comment: found \(text.utf8.count) bytes, allowed: \(GivenValues.allowedComment)")
        case .note(let text): Terminal.say("  \(noted(text, on: first))")
        case .next:
            if queue.wasPutOff() {
                leave(members)
                return showNext()
            }
            Terminal.say("  no other prompt waits")
        case .open:
            if queue.wasOpened() {
                leave(members.dropFirst())
                Terminal.say("  the members come one by one; [*] joins those that are not put off")
                return show(after: first.prompt)
            }
            if queue.wasJoined() { return show(after: first.prompt) }
            Terminal.say("  no other prompt like this waits, or all others are put off")
        case .show(let number):
            if queue.chose(number) {
                if before != queue.shown { leave(members) }
                return show(after: first.prompt)
            }
            Terminal.say("  no prompt #\(number) waits: # lists those that do")
        case .list:
            let lines = PromptText.list(
                queue.ordered, shown: queue.shown, columns: Terminal.columnCount
            ) { entry in entry.members.first.flatMap { waiting[$0.number]?.text } }
            Terminal.say(lines.joined(separator: "\n"))
        }
        ask(first)
    }

    /// The notes at the console, oldest first.
    func notes(on one: Waiting) -> [InboxNote] {
        (try? console?.inbox.item(one.prompt.id).notes) ?? []
    }

    /// The time since when the prompt on the screen waits: at the console, which knows it from
    /// before a restart, else here.
    func openedAt(_ one: Waiting) -> ContinuousClock.Instant? {
        (try? console?.inbox.item(one.prompt.id).openedAt.instant)
            ?? queue.shownMembers.first?.arrivedAt
    }

    /// Writes a note at the console, and returns the result in words.
    private func noted(_ text: String, on one: Waiting) -> String {
        guard let console else { return "no note: this node has no console" }
        let (count, most) = (text.unicodeScalars.count, ConsoleLimits.noteScalarMax)
        guard (1...most).contains(count) else {
            return "note: found \(count) characters, allowed: 1 to \(most)"
        }
        do throws(InboxRefusal) {
            try console.addNote(text, to: one.prompt.id, by: person)
            return "noted"
        } catch {
            return "refused: \(error.description.shown())"
        }
    }

    /// Answers with a chosen option and its values, or asks for a confirmation. False if the prompt
    /// is shown again.
    func decided(_ id: String, of first: Waiting) -> Bool {
        let option = first.prompt.report.options.first { $0.id == id }
        if let option, group(chosen).needsConfirmation(of: option) {
            confirming = option
            takeScreen(first)
            return true
        }
        return answer(id)
    }

    /// Asks for the next value of an option.
    func ask(_ form: ValueLines, of first: Waiting) {
        filling = form
        TerminalEcho.set(!form.field.isSecret)
        takeScreen(first)
    }

    func filled(_ form: ValueLines, of first: Waiting, _ text: String) {
        if form.field.isSecret { Terminal.say("") }
        var form = form
        switch form.entered(text) {
        case .next: return ask(form, of: first)
        case .refused(let fault):
            Terminal.say("  \(fault.shown())")
            return ask(form, of: first)
        case .left:
            forgetChoice()
            Terminal.say("  nothing was answered")
        case .complete(let given):
            forgetChoice()
            values = given
            if decided(form.option.id, of: first) { return }
        }
        takeScreen(first)
    }

    /// Takes a confirmation. Only the word confirms: no key of an option, and not Return.
    func confirmed(_ option: ErrorReport.Option, of first: Waiting, _ text: String) {
        confirming = nil
        if PromptKeys.confirms(text) {
            if answer(option.id) { return }
        } else {
            values = [:]
            Terminal.say("  not confirmed: nothing was answered")
        }
        takeScreen(first)
    }

    /// Answers the prompts that the option was chosen for. False if none took the answer: the
    /// prompt is shown again.
    private func answer(_ id: String) -> Bool {
        var answered: [Prompt] = []
        var refusals: [AnswerRefusal] = []
        for number in chosen {
            guard let one = waiting[number] else { continue }
            do throws(AnswerRefusal) {
                let answer = try one.prompt.answer(
                    id, by: person, via: .person, values: values, comment: comment)
                waiting[number] = nil
                queue.ended(number)
                answered.append(one.prompt)
                one.continuation.resume(returning: answer)
            } catch {
                refusals.append(error)
            }
        }
        values = [:]
        if let refusal = refusals.first {
            let count = chosen.count > 1 ? "\(refusals.count) " : ""
            Terminal.say("  \(count)refused: \(refusal.description.shown())")
        }
        guard !answered.isEmpty else { return false }
        queue.wasAnswered()
        comment = nil
        recording = AnswerTally(id, count: answered.count)
        lastGone = nil
        for prompt in answered {
            prompt.onRecord { [weak self] isRecorded in
                Task { [weak self] in await self?.recorded(isRecorded) }
            }
        }
        return true
    }

    /// Shows an answer once it is recorded: from then on no restart presents the error again.
    private func recorded(_ isRecorded: Bool) {
        recording?.ended(isRecorded: isRecorded)
        guard let tally = recording, tally.isOver else { return }
        recording = nil
        Terminal.say(tally.lines.joined(separator: "\n"))
        showNext()
    }
}
