/// Attempts a child's options: sends the answer down and waits for what comes of it. The closures
/// behind the options never leave their process.
struct RemoteAttempter: RecoveryAttempter {
    let reading: ReportReading
    let downlink: Downlink
    let id: PresentationID
    let generation: Int

    var options: [ErrorReport.Option] { reading.report.options }

    /// Not checked against the options here: the presenter did, and their owner does.
    func attemptRecovery(_ answer: Answer) async -> AttemptResult {
        .remote(await downlink.attempt(answer, of: id, generation: generation))
    }
}
