import ErrorBus
import Synchronization

/// Stands in for a person: thinks for a random time, then chooses one of the options at random.
/// Writes down when each question is shown and when it is gone.
final class ChaosPresenter: Presenter {
    let presenterName = "chaos"

    private struct State {
        var random: SeededGenerator
        var live: [PresentationID: Prompt] = [:]
    }

    private let log: ChaosLog
    private let state: Mutex<State>

    init(_ log: ChaosLog, seed: UInt64) {
        self.log = log
        state = Mutex(State(random: SeededGenerator(seed: seed)))
    }

    func present(_ prompt: Prompt) async throws -> Answer? {
        let (thinking, option) = state.withLock { state in
            // One that was taken away, and whose task has not noticed yet.
            if let former = state.live[prompt.id], !former.isOpen {
                log.record(.gone, prompt.id, ["reason": "takenAway"])
            }
            state.live[prompt.id] = prompt
            log.record(.prompt, prompt.id, ["origin": prompt.origin?.description ?? ""])
            return (Self.thinkingTime(&state.random), Self.choice(of: prompt, &state.random))
        }
        prompt.moved(to: .presented, by: presenterName)
        do {
            try await Task.sleep(for: thinking)
            let answer = try prompt.answer(option, by: presenterName, via: .policy)
            gone(prompt, "answered")
            return answer
        } catch {
            gone(prompt, "takenAway")
            return nil
        }
    }

    private func gone(_ prompt: Prompt, _ reason: String) {
        state.withLock { state in
            guard state.live[prompt.id] === prompt else { return }
            state.live[prompt.id] = nil
            log.record(.gone, prompt.id, ["reason": reason])
        }
    }

    /// Mostly at once, sometimes after a look, now and then after seconds.
    private static func thinkingTime(_ random: inout SeededGenerator) -> Duration {
        switch random.fraction() {
        case ..<0.6: random.duration(in: .zero...(.milliseconds(30)))
        case ..<0.9: random.duration(in: .milliseconds(30)...(.milliseconds(500)))
        default: random.duration(in: .milliseconds(500)...(.seconds(3)))
        }
    }

    /// Only what the worker itself offers: an option that a relay's rule has added may run a
    /// command that means business.
    private static func choice(of prompt: Prompt, _ random: inout SeededGenerator) -> String {
        let own = prompt.report.options.map(\.id).filter(ChaosError.optionIDs.contains)
        return own.randomElement(using: &random) ?? prompt.report.options.last?.id ?? ""
    }
}
