import ErrorBusTesting
import Synchronization
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// The examples of the posts that brought the idea to Swift and iOS, on this chain.
@Suite("Walk-throughs")
struct WalkthroughTests {
    @Test("A12 Cell, green, red, white: red handles fatal errors, white shows the rest")
    func coloursOfShowError() async {
        let presenter = ScriptedPresenter("white's screen", .answer("ok"))
        let white = PresentingResponder.asking(presenter, name: "white")
        let red = ClosureResponder(
            "red", next: white,
            present: { error, _ in
                guard ErrorReport(describing: error).userInfo["fatal"] == .bool(true) else {
                    return nil
                }
                return Outcome(didRecover: false, reason: .handled, decidedBy: "red")
            })
        let green = ClosureResponder("green", next: red)
        let cell = ClosureResponder("cell", next: green)

        let fatal = SampleError("The disk is gone.", userInfo: ["fatal": .bool(true)])
        let mild = SampleError("The name is taken.", userInfo: ["fatal": .bool(false)])
        #expect(await cell.presentError(fatal).decidedBy == "red")
        #expect(await cell.presentError(mild).decidedBy == "white")
        #expect(await cell.presentError(SampleError("No flag.")).decidedBy == "white")
        #expect(
            presenter.prompts.map(\.report.description) == ["The name is taken.", "No flag."])
    }

    @Test("A01 Saving: overwrite recovers, and the caller saves again")
    func saveOverwritten() async {
        let presenter = ScriptedPresenter("screen", .answer("overwrite"))
        let editor = Editor(next: PresentingResponder.asking(presenter), store: Store(["a": "old"]))
        #expect(await editor.save("new", at: "a"))
        #expect(editor.store.contents == ["a": "new"])
        #expect(editor.saveCount.elements.count == 2)
        let prompt = presenter.prompts.first
        #expect(prompt?.report.description == "“a” exists.")
        #expect(prompt?.report.options.map(\.role) == [.destructive, .cancel])
        #expect(prompt?.report.options.defaultOption == nil)
    }

    @Test("A02 Saving: cancel changes nothing and does not save again")
    func saveCancelled() async {
        let presenter = ScriptedPresenter("screen", .answer("cancel"))
        let editor = Editor(next: PresentingResponder.asking(presenter), store: Store(["a": "old"]))
        #expect(await editor.save("new", at: "a") == false)
        #expect(editor.store.contents == ["a": "old"])
        #expect(editor.saveCount.elements.count == 1)
    }
}

private struct SaveError: ReportableError {
    let path: String
    var report: ErrorReport {
        ErrorReport(
            domain: "example.save", code: 1, description: "“\(path)” exists.",
            recoverySuggestion: "Overwrite it, or choose another name.")
    }
}

private final class Store: Sendable {
    private let files: Mutex<[String: String]>
    init(_ files: [String: String]) { self.files = Mutex(files) }

    var contents: [String: String] { files.withLock { $0 } }

    func save(_ text: String, at path: String) throws {
        try files.withLock { files in
            guard files[path] == nil else { throw SaveError(path: path) }
            files[path] = text
        }
    }

    func remove(_ path: String) { files.withLock { $0[path] = nil } }
}

/// The caller of the posts: it knows what it did, and does it again when that is safe.
private struct Editor: Responder {
    let following: any Responder
    let store: Store
    let saveCount = Recorder<Void>()

    init(next: any Responder, store: Store) {
        following = next
        self.store = store
    }

    var next: (any Responder)? { get async { following } }

    func save(_ text: String, at path: String) async -> Bool {
        saveCount.record(())
        do {
            try store.save(text, at: path)
            return true
        } catch {
            let recoverable = error.recoverable {
                RecoveryOption("Overwrite", id: "overwrite", role: .destructive) {
                    store.remove(path)
                    return true
                }
                RecoveryOption.cancel
            }
            guard await presentError(recoverable).didRecover else { return false }
            return await save(text, at: path)
        }
    }
}
