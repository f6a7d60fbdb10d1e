// A device plugin in the manner of the shared RDMA device plugin: it offers shares of one device, and a container that is given a
// share gets the device's nodes.
//
//	device-plugin -resource rdma/hca_shared -shares 2 -nodes /dev/fuse
//
// The shares are healthy while the nodes are there.
package main

import (
	"context"
	"flag"
	"log"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

type plugin struct {
	shares int
	nodes  []string
}

func (p plugin) health() string {
	for _, node := range p.nodes {
		if _, err := os.Stat(node); err != nil {
			return api.Unhealthy
		}
	}
	return api.Healthy
}

func (p plugin) devices(health string) *api.ListAndWatchResponse {
	response := &api.ListAndWatchResponse{}
	for share := 0; share < p.shares; share++ {
		response.Devices = append(response.Devices, &api.Device{ID: strconv.Itoa(share), Health: health})
	}
	return response
}

func (p plugin) ListAndWatch(_ *api.Empty, stream api.DevicePlugin_ListAndWatchServer) error {
	said := ""
	for {
		if health := p.health(); health != said {
			log.Printf("%d shares, %s", p.shares, health)
			if err := stream.Send(p.devices(health)); err != nil {
				return err
			}
			said = health
		}
		select {
		case <-stream.Context().Done():
			return nil
		case <-time.After(time.Second):
		}
	}
}

func (p plugin) Allocate(_ context.Context, request *api.AllocateRequest) (*api.AllocateResponse, error) {
	response := &api.AllocateResponse{}
	for _, container := range request.ContainerRequests {
		log.Printf("share %v is taken", container.DevicesIDs)
		given := &api.ContainerAllocateResponse{}
		for _, node := range p.nodes {
			given.Devices = append(given.Devices, &api.DeviceSpec{HostPath: node, ContainerPath: node, Permissions: "rw"})
		}
		response.ContainerResponses = append(response.ContainerResponses, given)
	}
	return response, nil
}

func (plugin) GetDevicePluginOptions(context.Context, *api.Empty) (*api.DevicePluginOptions, error) {
	return &api.DevicePluginOptions{}, nil
}

func (plugin) GetPreferredAllocation(context.Context, *api.PreferredAllocationRequest) (*api.PreferredAllocationResponse, error) {
	return &api.PreferredAllocationResponse{}, nil
}

func (plugin) PreStartContainer(context.Context, *api.PreStartContainerRequest) (*api.PreStartContainerResponse, error) {
	return &api.PreStartContainerResponse{}, nil
}

func main() {
	resource := flag.String("resource", "rdma/hca_shared", "name of the resource")
	shares := flag.Int("shares", 16, "how many containers can have the device at the same time")
	nodes := flag.String("nodes", "/dev/infiniband/rdma_cm,/dev/infiniband/uverbs0", "what each of them gets")
	flag.Parse()

	socket := filepath.Join(api.DevicePluginPath, strings.ReplaceAll(*resource, "/", "-")+".sock")
	if err := os.RemoveAll(socket); err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	api.RegisterDevicePluginServer(server, plugin{*shares, strings.Split(*nodes, ",")})
	go func() { log.Fatal(server.Serve(listener)) }()

	kubelet, err := grpc.Dial("unix://"+api.KubeletSocket, grpc.WithInsecure(), grpc.WithBlock(), grpc.WithTimeout(time.Minute))
	if err != nil {
		log.Fatal(err)
	}
	_, err = api.NewRegistrationClient(kubelet).Register(context.Background(),
		&api.RegisterRequest{Version: api.Version, Endpoint: filepath.Base(socket), ResourceName: *resource})
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("%s: %d shares of %s", *resource, *shares, *nodes)
	select {}
}
