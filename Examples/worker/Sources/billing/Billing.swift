import ErrorBus
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// `billing RELAY FOLDER INVOICE...` saves invoices. An error climbs from the archivist to the
/// relay, and from there to the node that presents it.
@main struct Billing {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 3 else {
            FileHandle.standardError.write(Data("usage: billing RELAY FOLDER INVOICE...\n".utf8))
            exit(64)
        }
        let logger = Logger(label: "billing")
        let node = Node(
            NodeSettings(name: "billing"), parents: [try Endpoint(arguments[1])],
            parts: NodeParts(logger: logger))
        let work = Saving(
            invoices: Array(arguments[3...]), store: InvoiceStore(folder: arguments[2]),
            responder: Archivist(next: node.uplink), logger: logger)
        let services = ServiceGroup(
            configuration: .init(
                services: [
                    .init(service: node),
                    .init(service: work, successTerminationBehavior: .gracefullyShutdownGroup),
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await services.run()
    }
}

/// The work itself. A graceful shutdown withdraws an open presentation.
struct Saving: Service {
    let invoices: [String]
    let store: InvoiceStore
    let responder: any Responder
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for invoice in invoices {
                do {
                    // Presents what is thrown, and repeats while an answer recovers it.
                    try await responder.withRecovery { try store.save(invoice) }
                    logger.info("saved", metadata: ["invoice": "\(invoice)"])
                } catch {
                    let why = ErrorReport(describing: error).description
                    logger.warning(
                        "not saved", metadata: ["invoice": "\(invoice)", "error": "\(why)"])
                }
            }
        }
    }
}
