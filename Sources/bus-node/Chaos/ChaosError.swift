import Foundation

/// What the workers of a chaos run present.
struct ChaosError: LocalizedError, CustomNSError {
    static let errorDomain = "bus-node.chaos"
    static let optionIDs = ["retry", "skip", "cancel"]

    let worker: String
    let number: Int

    var errorCode: Int { number }
    var errorDescription: String? { "Error \(number) of \(worker)." }
    var failureReason: String? { "A chaos run is under way." }
}
