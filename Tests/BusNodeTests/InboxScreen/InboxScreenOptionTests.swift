import ErrorBus
import Testing

@testable import BusNodeKit

/// Presentations with many options at the full screen.
@Suite struct InboxScreenOptionTests {
    private typealias Fixture = ScreenFixture

    @Test("each of as many options as a report may have is chosen by a key of its own")
    func many() throws {
        let options = (1...ErrorReport.Limits.optionCount).map { number -> JSONValue in
            ["id": .string("o\(number)"), "title": .string("Retry \(number)"), "role": nil]
        }
        let item = Fixture.item(1, ["options": .array(options)])
        let keys = InboxScreen.keys(for: try #require(Fixture([item]).screen.chosen)).keys
        #expect(keys.count == options.count)
        for key in keys {
            var fixture = Fixture([item])
            let character = try #require(key.key.first, "\(key.option.id) has no key")
            #expect(
                fixture.press(.character(character))
                    == [.send(.answer(id: Fixture.id(1), option: key.option.id))])
        }
    }
}
