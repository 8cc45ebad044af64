import ErrorBus
import ErrorBusTesting
import Testing

@testable import BusNodeKit

/// One presentation at the full-screen inbox.
struct InboxEntryTests {
    @Test("The filter finds an answer by its values and its comment, as the page does")
    func answer() throws {
        let json = ScreenFixture.item(
            1,
            [
                "stage": "settled",
                "answer": [
                    "option": "skip", "by": "ann", "via": "person", "comment": "Called Bob.",
                    "values": ["folder": "/srv/New", "share": 70.5], "secrets": ["pin"],
                ],
            ])
        let entry = try #require(InboxEntry(json, at: ManualTime().now))
        for text in ["SRV/new", "70.5", "called bob"] {
            #expect(entry.contains([TextSearch(text)]), "\(text)")
        }
        for text in ["folder", "pin"] { #expect(!entry.contains([TextSearch(text)]), "\(text)") }
    }
}
