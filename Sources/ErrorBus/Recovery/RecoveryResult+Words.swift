extension RecoveryResult {
    /// In the words that people see everywhere.
    package var words: String {
        switch self {
        case .recovered: "recovered"
        case .failed: "not recovered"
        case .late: "too late"
        case .withdrawn: "withdrawn"
        case .invalid: "not its option"
        case .unknown: "no result known"
        }
    }
}
