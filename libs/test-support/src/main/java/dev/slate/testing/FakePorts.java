package dev.slate.testing;

import dev.slate.api.exec.v1.ConnectPortRequest;
import dev.slate.api.exec.v1.ConnectPortResponse;
import dev.slate.api.exec.v1.PortEnded;
import dev.slate.api.exec.v1.PortOpened;
import dev.slate.api.exec.v1.PortsGrpc;
import io.grpc.stub.StreamObserver;

/** On port 7 of every sandbox a server answers with what it gets; nothing listens on the others. */
final class FakePorts extends PortsGrpc.PortsImplBase {

    private static final int ECHO = 7;

    @Override
    public StreamObserver<ConnectPortRequest> connectPort(StreamObserver<ConnectPortResponse> observer) {
        return new StreamObserver<>() {

            private boolean refused;

            @Override
            public void onNext(ConnectPortRequest request) {
                if (refused) {
                    return;
                }
                if (!request.hasOpen()) {
                    observer.onNext(ConnectPortResponse.newBuilder()
                            .setData(request.getData())
                            .build());
                } else if (request.getOpen().getPort() == ECHO) {
                    observer.onNext(ConnectPortResponse.newBuilder()
                            .setOpened(PortOpened.getDefaultInstance())
                            .build());
                } else {
                    refused = true;
                    observer.onError(Fakes.notFound("port " + request.getOpen().getPort()));
                }
            }

            @Override
            public void onError(Throwable failure) {
                // The client is gone, and nothing is kept of it.
            }

            @Override
            public void onCompleted() {
                if (!refused) {
                    observer.onNext(ConnectPortResponse.newBuilder()
                            .setEnd(PortEnded.getDefaultInstance())
                            .build());
                    observer.onCompleted();
                }
            }
        };
    }
}
