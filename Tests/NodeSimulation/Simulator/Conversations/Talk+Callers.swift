import ErrorBus

// What is presented to the node of a ``Script``, and its events.
extension Talk {
    /// The JSON of two options, of which the second cancels.
    static let options = """
        {"id": "retry", "title": "Retry"}, {"id": "skip", "title": "Skip", "role": "cancel"}
        """

    /// A report with these options, and with more keys.
    static func report(_ more: String..., options: String = options) -> String {
        let keys = [
            #""domain": "simulation.talk""#, #""code": 7"#, #""description": "Trouble.""#,
            "\"recoveryOptions\": [\(options)]",
        ]
        return "{\((keys + more).joined(separator: ", "))}"
    }

    /// The one frame of a client without a link, with the id of this number.
    func request(_ number: Int, _ more: String..., options: String = Talk.options) -> String {
        let keys = ["\"id\": \"\(id(number))\""] + more
        return Talk.report(keys.joined(separator: ", "), options: options)
    }

    /// What a journal keeps of a report.
    static func recorded(
        _ origin: NodeName?, _ report: String = Talk.report
    ) throws -> DecisionRecord.Asked {
        let payload = Frame(report.utf8)
        return DecisionRecord.Asked(
            origin: origin, digest: ReportDigest(of: payload),
            report: try ErrorReport(payload: payload))
    }

    /// An answer of ann, whose own id is the one under this number.
    func answer(_ number: Int, _ option: String = "retry", secrets: [String: JSONValue] = [:])
        -> Answer
    {
        Answer(
            id: id(number).value, option: option, by: "ann", via: .person, secrets: secrets)
    }

    /// An error of the node's own process.
    func presents(
        _ error: any Error, _ options: PresentationOptions = PresentationOptions(),
        throughChain: Bool = false
    ) -> OwnCall {
        var options = options
        let call = OwnCall(options.id ?? .make(), scheduler)
        calls.append(call)
        options.id = call.id
        options.stateChanged = { call.states.add($0) }
        let first = throughChain ? node.chain : node.uplink
        call.task = Task.detached { [options, scheduler] in
            let outcome = await first.presentError(error, options: options)
            call.outcomes.add((outcome, scheduler.now))
        }
        return call
    }

    /// Waits for so many milliseconds, or until the task is cancelled: then it returns true.
    func isCancelled(within limit: UInt64) async -> Bool {
        let cancelled = Mailbox<Void>(scheduler)
        return await withTaskCancellationHandler {
            await cancelled.next(within: limit) != nil
        } onCancel: {
            cancelled.add(())
        }
    }

    /// Whether an event has the secrets of an answer.
    var eventsHaveSecrets: Bool {
        events.contains { event in
            switch event.what {
            case .decided(let answer, _), .settled(_, let answer): !answer.given.secrets.isEmpty
            case .completed(let outcome): outcome.answer?.given.secrets.isEmpty == false
            case .reported, .presented, .ended: false
            }
        }
    }

    /// How often the node's log of events has one of this presentation.
    func count(_ id: PresentationID, _ isMeant: (PresentationEvent.What) -> Bool) -> Int {
        events.count { $0.id == id && isMeant($0.what) }
    }
}
