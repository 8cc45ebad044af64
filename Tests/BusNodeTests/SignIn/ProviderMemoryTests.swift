import ErrorBus
import ErrorBusTesting
import Testing

@testable import BusNodeKit

/// When an identity provider is asked again.
struct ProviderMemoryTests {
    private let time = ManualTime()
    private var now: ContinuousClock.Instant { time.now.instant }

    private func word<Value>(_ need: ProviderMemory.Need<Value>) -> String {
        switch need {
        case .have: "have"
        case .ask: "ask"
        case .refuse(let refusal): "\(refusal)"
        }
    }

    @Test("Keys hold for an hour, and are read for an unknown one once a minute at most")
    func keys() throws {
        var keys = ProviderMemory().keys
        let read = try ProviderKeys(Array(#"{"keys": []}"#.utf8))
        #expect(word(keys.need(within: ProviderMemory.age, at: now)) == "ask")
        keys.read(read, at: now)
        #expect(word(keys.need(within: ProviderMemory.age, at: now)) == "have")
        #expect(word(keys.need(within: ProviderMemory.keysAge, at: now)) == "have")
        time.advance(by: ProviderMemory.keysAge)
        #expect(word(keys.need(within: ProviderMemory.age, at: now)) == "have")
        #expect(word(keys.need(within: ProviderMemory.keysAge, at: now)) == "ask")
        keys.read(read, at: now)
        #expect(word(keys.need(within: ProviderMemory.keysAge, at: now)) == "have")
        time.advance(by: ProviderMemory.age)
        #expect(word(keys.need(within: ProviderMemory.age, at: now)) == "ask")
    }

    @Test("A provider that failed is asked again after a pause; what it said before holds")
    func failure() throws {
        var keys = ProviderMemory().keys
        let refusal = SignInRefusal.provider("down")
        keys.failed(refusal, at: now)
        #expect(word(keys.need(within: ProviderMemory.age, at: now)) == "\(refusal)")
        time.advance(by: ProviderMemory.pause)
        #expect(word(keys.need(within: ProviderMemory.age, at: now)) == "ask")
        keys.read(try ProviderKeys(Array(#"{"keys": []}"#.utf8)), at: now)
        time.advance(by: ProviderMemory.keysAge)
        keys.failed(refusal, at: now)
        #expect(word(keys.need(within: ProviderMemory.keysAge, at: now)) == "\(refusal)")
        #expect(word(keys.need(within: ProviderMemory.age, at: now)) == "have")
    }
}
