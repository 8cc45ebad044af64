import ErrorBusTesting
import Foundation

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// A hook whose messages have links that answer, with the files that they need.
struct AnswerLinkRig {
    static let key = "links-0123456789abcdef"
    static let url = "http://localhost:1"

    let folder: TemporaryFolder
    let users: UserFile
    let hook = NotifyRig.hook { $0.answerLinks = AnswerLinkSettings(user: "oncall") }
    var keyFile: String { "\(folder.path)/key" }

    init() throws {
        folder = try TemporaryFolder()
        users = UserFile("\(folder.path)/users.txt")
        _ = try users.add("oncall", [.answer])
        try PrivateFile.create("\(folder.path)/key", Self.key, mode: 0o600)
    }

    func links() throws -> AnswerLinks {
        try AnswerLinks(
            keyFile, of: [hook], for: Self.url, try ConsoleUsers(users.path, logger: .silent),
            logger: .silent)
    }

    static func item(
        _ report: ErrorReport = NotifyRig.report(), id: PresentationID = .make(),
        deadline: ContinuousClock.Instant? = nil
    ) -> InboxItem {
        var presentation = InboxPresentation(id: id, report: report, origin: "worker")
        presentation.deadline = deadline
        return InboxItem(presentation, group: 0, at: ManualTime().now, revision: 1)
    }

    static func message(
        _ items: InboxItem..., event: HookSettings.Event = .opened, at now: Moment
    ) -> NotifyMessage {
        var notice = Notice(event, items[0])
        for item in items.dropFirst() { notice.add(item) }
        return NotifyMessage(id: "1", content: .notice(notice), madeAt: now)
    }
}
