import ErrorBus
import HTTPTypes
import Hummingbird

// Answering by a link in a hook's message: the page that it opens, and the answer.
extension ConsoleAPI {
    /// A link and the option that it answers with now.
    private struct Opened {
        let link: AnswerLink
        let item: InboxItem
        let option: ErrorReport.Option
    }

    /// The page of a link, with a button that answers. Changes nothing: programs that look through
    /// mail, or show a preview, open links as well.
    func showLink(_ request: Request, _ context: ConsoleContext) throws -> Response {
        let query = try QueryFields(request.uri.query).allowing(["link"])
        let opened = try opened(query.text("link") ?? "", context)
        return page.answerPage(opened.item, opened.option, by: opened.link.user, at: console.node)
    }

    /// Answers as the user of a link.
    func answerByLink(_ request: Request, _ context: ConsoleContext) async throws -> Response {
        _ = try QueryFields(request.uri.query).allowing()
        let fields = try BodyFields(try await bytes(of: request), allowing: "link")
        let opened = try opened(
            try fields.text("link", upTo: AnswerLink.byteCountMax), context)
        let (link, id) = (opened.link, opened.item.id)
        do throws(InboxRefusal) {
            try inbox.answer(id, option: link.option, by: link.user, id: link.answer)
        } catch {
            throw Self.linked(APIProblem(error), to: id)
        }
        note(.link(option: link.option, hook: link.hook), id, by: link.user)
        do throws(APIProblem) { try await requireRecord(of: id) } catch {
            throw Self.linked(error, to: id)
        }
        return Response([
            "id": .string(id.description), "option": .string(link.option),
            "by": .string(link.user),
        ])
    }

    private func opened(
        _ text: String, _ context: ConsoleContext
    ) throws(APIProblem) -> Opened {
        guard let links = console.links else {
            throw APIProblem(.notFound, "notFound", "no hook of this node has links that answer")
        }
        let link = try links.link(text, from: context.peerHost)
        do throws(APIProblem) {
            return try opened(link, as: try links.visitor(of: link))
        } catch {
            throw Self.linked(error, to: link.presentation)
        }
    }

    private func opened(
        _ link: AnswerLink, as visitor: ConsoleVisitor
    ) throws(APIProblem) -> Opened {
        let item: InboxItem
        do throws(InboxRefusal) { item = try inbox.item(link.presentation) } catch {
            throw APIProblem(error)
        }
        if let refusal = item.refusal {
            let isUsed = link.answer != nil && item.answer?.id == link.answer
            throw isUsed ? AnswerLinks.used(refusal.description) : APIProblem(refusal)
        }
        if let answer = link.answer, item.takenBack.contains(answer) {
            throw AnswerLinks.used("its answer was taken back")
        }
        guard link.isAbout(item.report),
            let option = item.report.options.first(where: { $0.id == link.option })
        else { throw AnswerLinks.changed }
        if item.isDestructive(option.id) { try visitor.require(.destructive) }
        return Opened(link: link, item: item, option: option)
    }

    /// A refusal with the presentation, which the page links to.
    private static func linked(_ problem: APIProblem, to id: PresentationID) -> APIProblem {
        var problem = problem
        problem.details["id"] = .string(id.description)
        return problem
    }
}

extension InboxItem {
    /// The reason why the presentation takes no answer; nil while it waits for one.
    fileprivate var refusal: InboxRefusal? {
        switch stage {
        case .open, .claimed: nil
        case .leaving(let answer, _), .answered(let answer), .settled(let answer, _):
            .answered(answer, at: changedAt)
        case .closed(let reason): .closed(reason, at: changedAt)
        }
    }
}

// The pages of links.
extension ConsolePage {
    /// The page that shows the presentation, its origin, reason and suggestion, another person's
    /// claim, the user of the link, and the button.
    func answerPage(
        _ item: InboxItem, _ option: ErrorReport.Option, by user: String, at node: NodeName
    ) -> Response {
        let report = item.report
        let code = report.code.map { " \($0)" } ?? ""
        let sender = item.origin.map { " from \($0.words)" } ?? ""
        let origin = "\(report.severity.rawValue), \(report.domain)\(code)\(sender), at \(node)"
        let style = option.role == .destructive ? "destructive" : "default"
        // Of what a command has written the last lines say most.
        let why = report.endOfReason?.linesForPage.suffix(10)
        let suggestion = report.recoverySuggestion?.clipped(ConsoleLimits.descriptionScalarMax)
        var facts = [("why", why), ("suggestion", suggestion?.linesForPage[...])].compactMap {
            id, lines in lines.map { "<p id=\"\(id)\">\($0.joined(separator: "<br>"))</p>" }
        }
        if let claim = item.stage.claim, claim.person != user {
            let person = claim.person.escapedForPage
            facts.append("<p id=\"claim\" class=\"problem\">Claimed by \(person).</p>")
        }
        if option.role == .destructive {
            facts.append("<p class=\"problem\">This cannot be undone.</p>")
        }
        return Self.plainPage(
            "answer",
            head: "<script type=\"module\" src=\"\(Self.path("answer-link.js"))\"></script>",
            """
            <h1>\(report.heading.escapedForPage)</h1>
            <p id="origin">\(origin.escapedForPage)</p>
            \(facts.joined(separator: "\n"))
            <p id="author">You answer as \(user.escapedForPage).</p>
            <p id="outcome" role="status"></p>
            <p class="buttons"><button type="button" id="answer" class="\(style)">\
            \((report.title(of: option.id) ?? option.id).escapedForPage)</button> \
            <a class="button" href="/#/inbox/\(item.id)">Open in the console</a></p>
            """)
    }

    /// The page that says why a link cannot answer, with the ordinary link in its place.
    func notAnswered(_ problem: APIProblem) -> Response {
        let id = problem.details["id"]?.stringValue
        let place = id.map { "/#/inbox/\($0)" } ?? "/"
        return Self.plainPage(
            "not answered", status: problem.status,
            """
            <h1>This link does not answer</h1>
            <p id="reason">\(problem.message.escapedForPage)</p>
            <p class="buttons"><a class="button default" href="\(place)">Open in the console</a></p>
            """)
    }
}

extension String {
    /// The lines as HTML, without empty ones.
    fileprivate var linesForPage: [String] {
        split(whereSeparator: \.isNewline).map { String($0).escapedForPage }
    }
}
