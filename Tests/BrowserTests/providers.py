"""An identity provider where a console's users sign in: Canaille."""
import logging
import threading

CLIENT, SECRET, PASSWORD = "errorbus", "browser-tests-oidc-0123456789", "correct-horse-7"


class Provider:
    """Serves people, each with groups, for the console at an address."""

    def __init__(self, people, console):
        # Here, since only a few of the tests need it, and it takes a second.
        from werkzeug.serving import WSGIRequestHandler, make_server

        class Quiet(WSGIRequestHandler):
            def log(self, *_):
                pass

        self.app = None
        self.server = make_server("127.0.0.1", 0, lambda *request: self.app(*request),
                                  threaded=True, request_handler=Quiet)
        self.host = f"127.0.0.1:{self.server.server_port}"
        self.issuer = f"http://{self.host}"
        self.app = self.make(people, console)

    def make(self, people, console):
        from canaille import create_app
        from canaille.app import models
        from canaille.backends import Backend
        from joserfc.jwk import RSAKey

        key = RSAKey.generate_key(2048, auto_kid=True)
        app = create_app({
            "SECRET_KEY": SECRET, "SERVER_NAME": self.host, "PREFERRED_URL_SCHEME": "http",
            "CANAILLE": {"DATABASE": "memory", "HTMX": False, "JAVASCRIPT": False,
                         "LOGGING": {"version": 1, "disable_existing_loggers": False}},
            "CANAILLE_OIDC": {"ACTIVE_JWKS": [key.as_dict(private=True)]},
        }, env_prefix="NONE_")
        with app.app_context():
            store = Backend.instance
            users = {name: models.User(user_name=name, formatted_name=name, family_name=name,
                                       emails=[f"{name}@example.org"], password=PASSWORD)
                     for name in people}
            for user in users.values():
                store.save(user)
            for group in {group for groups in people.values() for group in groups}:
                members = [users[name] for name, groups in people.items() if group in groups]
                store.save(models.Group(display_name=group, members=members))
            client = models.Client(
                client_id=CLIENT, client_secret=SECRET, client_name="ErrorBus",
                client_uri=console, redirect_uris=[f"{console}/oidc/callback"],
                post_logout_redirect_uris=[f"{console}/"], grant_types=["authorization_code"],
                response_types=["code"], scope=["openid", "profile", "groups"],
                id_token_signed_response_alg="RS256",
                token_endpoint_auth_method="client_secret_basic")
            store.save(client)
            client.audience = [client]
            store.save(client)
        return app

    def start(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
