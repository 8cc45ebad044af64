import ErrorBus
import Hummingbird

// Policy rules made of answers, and their trials.
extension ConsoleAPI {
    /// The rule that gives the answer of a person.
    func rule(from id: PresentationID) async throws -> RuleProposalView {
        let (past, alike) = try await self.past(id)
        do throws(ProposalRefusal) {
            var view = try RuleProposal(past, alike: alike, of: console.node).view
            view.policies = policies
            return view
        } catch {
            throw APIProblem(.conflict, "noRule", error.description)
        }
    }

    /// A presentation and others with its answer: of the inbox, else of the journal.
    private func past(
        _ id: PresentationID
    ) async throws -> (PastPresentation, [PastPresentation]) {
        if let item = try? inbox.item(id) {
            let report = item.report
            let alike = inbox.items().filter { other in
                other.hasEnded && other.answer?.option == item.answer?.option
                    && other.report.domain == report.domain && other.report.code == report.code
            }
            return (PastPresentation(item), alike.map { PastPresentation($0) })
        }
        let unknown = APIProblem(.notFound, "unknown", "no presentation \(id) with a report here")
        guard let kept = console.kept else { throw unknown }
        try console.rulesFromJournal.begin()
        return try await searched(advising: "try again later") { [console] in
            // Not before: what took too long goes on until it sees that.
            defer { console.rulesFromJournal.end() }
            guard let past = try await kept.archive.past(id, console: kept.console) else {
                guard let refusal = try await kept.archive.policyAnswer(id) else { throw unknown }
                throw APIProblem(.conflict, "noRule", refusal.description)
            }
            return (past, try await kept.archive.alike(past, console: kept.console))
        }
    }

    /// The names of the files with the policies that come before this console.
    private var policies: [String] {
        let presenters = console.topology[console.node]?.presenters ?? []
        return presenters.prefix { $0 != .console(console.settings) }.compactMap { presenter in
            guard case .policy(let path, _) = presenter else { return nil }
            return path.split(separator: "/").last.map { String($0) }
        }
    }

    /// The result of the rules of a policy for past presentations.
    func trial(_ body: [UInt8]) async throws -> RuleTrialView {
        let fields = try BodyFields(body, allowing: "policy", "days")
        let range = Int64(1)...Int64(ConsoleLimits.trialDaysMax)
        let days =
            try fields.integer("days", in: range).map { Int($0) }
            ?? ConsoleLimits.trialDays
        guard let policy = try fields.string("policy") else {
            throw APIProblem.badRequest("policy: found nothing; allowed: the text of a policy file")
        }
        let rules = try Self.rules(policy)
        guard let kept = console.kept else {
            throw APIProblem(.notFound, "notKept", "no history: the node has no journal")
        }
        try await write(to: kept)
        try console.trials.begin()
        do {
            return try await searched(advising: "give fewer days") { [console] in
                // Not before: what took too long goes on until it sees that.
                defer { console.trials.end() }
                return try await kept.archive.trial(
                    rules, days: days, console: kept.console, of: console.node)
            }
        } catch let failure as Failure where failure.status == .usage {
            throw APIProblem(.badRequest, "tooCostly", failure.text)
        }
    }

    private static func rules(_ text: String) throws(APIProblem) -> [Rule] {
        do throws(ConfigurationFailure) {
            return try PolicyText.rules(text)
        } catch {
            guard case .invalid(let problems, _) = error else {
                throw APIProblem(.unprocessableContent, "badPolicy", error.description)
            }
            throw APIProblem(
                .unprocessableContent, "badPolicy", error.description,
                details: ["problems": .array(problems.map(\.json))])
        }
    }
}

extension ConfigurationProblem {
    /// The place of the problem in a policy, and the fault.
    fileprivate var json: JSONValue {
        [
            "line": .count(location.line), "field": .string(field), "found": .string(found),
            "allowed": .string(allowed), "hint": .text(hint),
        ]
    }
}
