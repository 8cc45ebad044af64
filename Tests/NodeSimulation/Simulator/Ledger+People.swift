import ErrorBus

extension Ledger {
    /// A prompt as it was in front of people.
    struct Shown {
        let id: PresentationID
        let presenter: String
        let time: UInt64
        /// Nil while it is there.
        var hidden: UInt64?
        let origin: String?
        let path: [String]
        let options: [String]
        let onExpiry: String?
        let deadline: UInt64?
    }

    /// An answer that an inbox took from a person.
    struct Given {
        let id: PresentationID
        let presenter: String
        let answer: UniqueID
        /// The answer that counts, as the inbox said to the person.
        let counted: UniqueID
        let by: String
        let time: UInt64
        /// For how long it could be taken back.
        let undo: UInt64
        var isUndone = false
        /// Who had claimed the presentation at that time.
        let claimant: String?
    }

    /// How an inbox shows a presentation at the end.
    struct Item {
        let id: PresentationID
        let presenter: String
        let answer: UniqueID?
        let result: RecoveryResult?
        let isReachable: Bool
    }

    /// What a caller asked about; nil for a bare client's.
    func trouble(of id: PresentationID) -> Int? { asks.first { $0.id == id }?.trouble }
}
