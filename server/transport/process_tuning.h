#ifndef POSENC_SERVER_TRANSPORT_PROCESS_TUNING_H_
#define POSENC_SERVER_TRANSPORT_PROCESS_TUNING_H_

namespace posenc::server {

// Settings of the whole process that gRPC's own work gains from, whatever the
// request. To be called once, before the first thread starts.
void TuneProcess();

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_PROCESS_TUNING_H_
